"""Many runs in order: plan, journal, manifest, resumption."""
