"""A second writer of envelopes, for `run.mjs --writers --lines`: manifest, envelope so far and key -> envelope (docs/spec/writing.md).

It shares nothing with src/, and looks at nothing but the manifest: it is a check of the vectors, not of bundles.
"""

import base64, hashlib, json, pathlib, re, sys, tomllib

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "docs/spec"))
from reader import blake3

TYPE = "application/vnd.in-toto+json"
SECOND = re.compile(r"\d{4}-(\d\d)-(\d\d)T([01]\d|2[0-3])(:[0-5]\d){2}Z", re.ASCII)


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def is_second(text):
    found = SECOND.fullmatch(text)
    if not found:
        return False
    year, month, day = int(text[:4]), int(found[1]), int(found[2])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return 1 <= month <= 12 and 1 <= day <= days[month - 1]


def statement(manifest, end):
    agent = tomllib.loads(manifest.decode())["agent"]
    digests = {"blake3": blake3(manifest), "sha256": hashlib.sha256(manifest).hexdigest()}
    return compact({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "manifest.toml", "digest": digests}],
        "predicateType": "urn:runloop:agent-bundle:v1",
        "predicate": {
            "agent": {name: agent[name] for name in ("name", "version", "variant") if name in agent},
            **({} if end is None else {"notAfter": end}),
        },
    })


def envelope(manifest, before, seed, end, replace):
    if end is not None and not is_second(end):
        return None
    signatures = {}
    payload = statement(manifest, end)
    if before is not None and not replace:
        old = json.loads(before)
        payload = base64.b64decode(old["payload"])
        signatures = {one["keyid"]: one["sig"] for one in old["signatures"]}
        if end is not None and json.loads(payload)["predicate"].get("notAfter") != end:
            return None
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(seed))
    keyid = "ed25519:" + base64.b64encode(key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()
    message = f"DSSEv1 {len(TYPE)} {TYPE} {len(payload)} ".encode() + payload
    signatures[keyid] = base64.b64encode(key.sign(message)).decode()
    if len(signatures) > 16:
        return None
    listed = [{"keyid": keyid, "sig": sig} for keyid, sig in sorted(signatures.items())]
    return compact({"payloadType": TYPE, "payload": base64.b64encode(payload).decode(), "signatures": listed})


for line in sys.stdin:
    asked = json.loads(line)
    read = lambda path: path and pathlib.Path(path).read_bytes()
    made = asked["manifest"] and envelope(
        read(asked["manifest"]), read(asked["before"]), asked["seed"], asked["notAfter"], asked["replace"])
    if made:
        pathlib.Path(asked["envelope"]).write_bytes(made)
    print(json.dumps({"verdict": "written" if made else "refused", "codes": []}), flush=True)
