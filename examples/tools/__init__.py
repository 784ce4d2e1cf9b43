"""What several examples share: the command line, what they show and keep, data, workers."""
