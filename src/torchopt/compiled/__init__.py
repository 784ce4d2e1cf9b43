"""Functions that run from compiled code, each loop over inner steps traced as one step."""
