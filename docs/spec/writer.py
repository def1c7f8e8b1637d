"""A second writer of bundles (docs/spec/writing.md), for `run.mjs --writers --lines`. It shares nothing with src/.

    python3 writer.py --lines

Each line of standard input is a question, in JSON: docs/spec/kit.md says which members it has. The second reader, beside this file, says
whether a bundle is sound. Like that one it is a check of the pages, not a tool to make bundles with.
"""

import base64, hashlib, json, os, pathlib, re, sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

sys.dont_write_bytecode = True
from reader import BLOCK, MANIFEST, PAYLOAD_TYPE, SIGNATURE, Refused, Toml, compact, digest_of, examine, is_second, make_header, need, rank, read_archive, read_texts


# 16.1 What is packed
def pattern(line):  # P-4: what takes back in, what names folders alone, and which paths fit
    back, folders = line.startswith("!"), line.endswith("/")
    line = line.removeprefix("!").removesuffix("/")
    parts = line.removeprefix("/").split("/") if "/" in line else ["**", line]
    text = ""
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        if part == "**": text += ".+" if last else "(?:.+/)?"
        else: text += re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]") + ("" if last else "/")
    return back, folders, re.compile(text, re.DOTALL)


def patterns_of(folder):
    path = folder / ".bundleignore"
    if not os.path.lexists(path): return []
    need(path.is_file() and not path.is_symlink(), "not_packable")
    try: text = path.read_bytes().decode()
    except UnicodeDecodeError: raise Refused("not_packable")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    need(not text.startswith("\ufeff") and "\0" not in text and not any("\r" in line for line in lines), "not_packable")
    return [pattern(line) for line in lines if line and not line.startswith("#")]


def is_left_out(patterns, path, is_folder):
    fitting = [back for back, folders, fits in patterns if fits.fullmatch(path) and (is_folder or not folders)]
    return bool(fitting) and not fitting[-1]


def packed(folder, patterns, above=""):  # P-1 to P-6: paths and contents
    for entry in os.scandir(folder):
        path = above + entry.name
        is_folder, is_file = entry.is_dir(follow_symlinks=False), entry.is_file(follow_symlinks=False)
        if entry.name.startswith(".") or is_left_out(patterns, path, is_folder): continue
        need(os.fsencode(entry.name).decode(errors="replace").find("\ufffd") < 0, "not_packable")
        if is_folder:
            if path != "tests" and not os.path.lexists(entry.path + "/manifest.toml"): yield from packed(entry.path, patterns, path + "/")
            continue
        need(is_file and path.split("/")[0] != "SIGNATURES", "not_packable")
        yield os.fsencode(path), pathlib.Path(entry.path).read_bytes()


# 16.2 The bytes
def archive(files):  # P-8
    entries = []
    for path in sorted(files, key=rank):
        entries += [make_header(path, len(files[path])), files[path], bytes(-len(files[path]) % BLOCK)]
    return b"".join(entries) + bytes(2 * BLOCK)


def sound(data):  # P-7, P-9: all that a reader asks for, but who signed it
    *_, contents = examine(data)
    contents()


def pack(asked):
    folder = pathlib.Path(asked["input"])
    data = archive(dict(packed(folder, patterns_of(folder))))
    sound(data)
    return data, None


# 16.3 Signing
def statement(manifest, end):  # P-10
    agent = Toml(manifest).root["agent"]
    predicate = {"agent": {name: agent[name] for name in ("name", "version", "variant") if name in agent}}
    if end is not None: predicate["notAfter"] = end
    digest = {"blake3": digest_of(manifest), "sha256": hashlib.sha256(manifest).hexdigest()}
    return compact({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "manifest.toml", "digest": digest}],
        "predicateType": "urn:runloop:agent-bundle:v1",
        "predicate": predicate,
    })


def envelope(manifest, before, asked):
    end, signatures = asked["renew"] if asked["renew"] is not None else asked["notAfter"], {}
    need(end is None or is_second(end), "statement_malformed")  # P-11
    if before is None or asked["renew"]: payload = statement(manifest, end)  # P-16
    else:
        old = json.loads(before)
        payload = base64.b64decode(old["payload"])  # P-13
        signatures = {one["keyid"]: one["sig"] for one in old["signatures"]}
        need(end in (None, json.loads(payload)["predicate"].get("notAfter")), "not_signable")
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(asked["seed"]))
    public = base64.b64encode(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()
    message = f"DSSEv1 {len(PAYLOAD_TYPE)} {PAYLOAD_TYPE} {len(payload)} ".encode() + payload
    signatures["ed25519:" + public] = base64.b64encode(key.sign(message)).decode()  # P-12, P-14
    need(len(signatures) <= 16, "signature_malformed")  # P-14
    listed = [{"keyid": keyid, "sig": sig} for keyid, sig in sorted(signatures.items())]
    return compact({"payloadType": PAYLOAD_TYPE, "payload": base64.b64encode(payload).decode(), "signatures": listed})


def sign(asked):
    data = pathlib.Path(asked["input"]).read_bytes()
    sound(data)
    files = read_archive(data)
    made = envelope(files[MANIFEST], files.get(SIGNATURE), asked)
    signed = archive({**files, SIGNATURE: made})  # P-15
    read_texts(read_archive(signed), 0)  # P-9: the limits
    return signed, made


def answer(asked):
    try:
        bundle, made = {"pack": pack, "sign": sign}[asked["kind"]](asked)
    except Refused as refused:
        return {"verdict": "refused", "codes": [refused.code]}
    pathlib.Path(asked["output"]).write_bytes(bundle)
    if made is not None: pathlib.Path(asked["envelope"]).write_bytes(made)
    return {"verdict": "written", "codes": []}


if __name__ == "__main__":
    sys.setrecursionlimit(3000)
    if sys.argv[1:] != ["--lines"]: sys.exit(__doc__)
    for line in sys.stdin: print(json.dumps(answer(json.loads(line))), flush=True)
