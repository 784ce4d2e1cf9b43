"""Linear operators of derivatives, their central difference, and the implicit function theorem."""
