"""Modules as functions of their tensors, and modules that declare meta-parameters."""
