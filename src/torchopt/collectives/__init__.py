"""Differentiable collectives of the processes of one program, and whole tensors of DTensors."""
