"""How large files from the browser may be, each and all together."""

import ast
import tomllib
from types import SimpleNamespace

from starlette.responses import PlainTextResponse

from rivae.app.shell import gate
from rivae.app.shell.gate import Gate
from rivae.app.shell.middleware import held_by_uploads
from rivae.labels.merge import MAX_MEGABYTES
from tests.app.asgi import HOST, ask


def test_the_server_lets_pass_what_the_controls_allow(repo_root):
    settings = tomllib.loads((repo_root / ".streamlit" / "config.toml").read_text())
    assert settings["server"]["maxUploadSize"] >= max(gate.SMALL_FILE, MAX_MEGABYTES)
    for path in sorted((repo_root / "rivae" / "app").rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "st.file_uploader":
                assert "max_upload_size" in {word.arg for word in call.keywords}, path


def test_the_files_of_all_visitors_have_a_limit(monkeypatch):
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
    from streamlit.runtime.uploaded_file_manager import UploadedFileRec

    kept = MemoryUploadedFileManager(gate.UPLOADS)
    runtime = SimpleNamespace(uploaded_file_mgr=kept)
    monkeypatch.setattr("streamlit.runtime.get_instance", lambda: runtime)
    monkeypatch.setattr(gate, "large_file", lambda: 1)
    size, inside = 2**20, []

    async def app(scope, receive, send):
        path = scope["path"]
        kept.add_file("a visitor", UploadedFileRec(path, path, "text/csv", bytes(size)))
        inside.append(held_by_uploads())
        await PlainTextResponse("kept")(scope, receive, send)

    guarded = Gate(app, held=held_by_uploads)

    def put(name, length=size):
        headers = [("host", HOST), *([("content-length", str(length))] if length else [])]
        return ask(f"{gate.UPLOADS}a/{name}", "PUT", b"x", headers=headers, to=guarded).status

    assert held_by_uploads() == 0
    # The third would fit beside two, but not one whose length nobody knows.
    assert [put("1"), put("2"), put("3", None), put("3"), put("4")] == [200, 200, 507, 200, 507]
    assert inside == [size, 2 * size, 3 * size]
    kept.remove_session_files("a visitor")
    assert put("5") == 200, "nothing stays reserved"
