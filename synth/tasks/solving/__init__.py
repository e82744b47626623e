"""From a request to the calls that fulfil it."""
