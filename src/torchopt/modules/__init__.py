"""Modules as functions of their tensors: views, and modules that declare meta-parameters."""
