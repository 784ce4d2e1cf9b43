"""The layer that knows the insides of PyTorch: no other room imports `torch._C` or its like."""
