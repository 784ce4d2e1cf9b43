"""Sets with a projection, for constraints."""

from torchopt.io.names import publish as _publish
from torchopt.sets._affine_set import AffineSet
from torchopt.sets._birkhoff import Birkhoff
from torchopt.sets._box import Box
from torchopt.sets._box_section import BoxSection
from torchopt.sets._half_space import HalfSpace
from torchopt.sets._hyperplane import Hyperplane
from torchopt.sets._l1_ball import L1Ball
from torchopt.sets._l1_sphere import L1Sphere
from torchopt.sets._l2_ball import L2Ball
from torchopt.sets._l2_sphere import L2Sphere
from torchopt.sets._linf_ball import LinfBall
from torchopt.sets._monotone import Monotone
from torchopt.sets._non_negative import NonNegative
from torchopt.sets._polyhedron import Polyhedron
from torchopt.sets._positive_semidefinite import PositiveSemidefinite
from torchopt.sets._product import Product
from torchopt.sets._second_order_cone import SecondOrderCone
from torchopt.sets._simplex import Simplex
from torchopt.sets._sparse_simplex import SparseSimplex
from torchopt.sets._transport_polytope import TransportPolytope
from torchopt.sets.base import Set

__all__ = [
    "AffineSet",
    "Birkhoff",
    "Box",
    "BoxSection",
    "HalfSpace",
    "Hyperplane",
    "L1Ball",
    "L1Sphere",
    "L2Ball",
    "L2Sphere",
    "LinfBall",
    "Monotone",
    "NonNegative",
    "Polyhedron",
    "PositiveSemidefinite",
    "Product",
    "SecondOrderCone",
    "Set",
    "Simplex",
    "SparseSimplex",
    "TransportPolytope",
]

_publish(__name__)
