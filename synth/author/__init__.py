"""New domains by a language model that writes only the seed: what it writes is data in the checked language, never run."""
