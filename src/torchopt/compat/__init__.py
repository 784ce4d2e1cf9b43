"""What TorchOpt 0.7.3 had and nothing here replaces; ``io.published`` says where programs find it."""
