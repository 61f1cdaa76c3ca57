"""A run as one HTML file that needs neither server nor network: ``write_page``."""
