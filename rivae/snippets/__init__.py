"""Python snippets that reproduce a panel of the app from the id of its run.

Every panel has a template here. A page asks ``snippet(run_id, "strips", query=12, k=3)`` and
offers the text beside the panel; the tests run every template. A query of which only z is known
(an upload) is given as ``query=None, z=...``.
"""

from rivae.snippets.writing import PANELS, literal, places_of, snippet

__all__ = ["PANELS", "literal", "places_of", "snippet"]
