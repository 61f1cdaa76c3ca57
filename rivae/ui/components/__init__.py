"""The app's own components: their Python side. The browser side is in ``assets/components``."""
