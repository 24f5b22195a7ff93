"""What a build system asks of its tools: dependency files and fingerprints."""
