"""Manifests: text to checked values, with every fault and its place in one run."""
