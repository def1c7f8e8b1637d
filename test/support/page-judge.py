"""Runs the pseudocode of docs/spec/judging.md as a reader: page-judge.py REPOSITORY [PAGE]. It asks the questions of docs/spec/reader.py, whose own function
around them is not used. Standard input and output are those of reader.py --lines."""
import importlib.util, pathlib, re, sys, types

root = pathlib.Path(sys.argv[1])
spec = importlib.util.spec_from_file_location("reader", root / "docs/spec/reader.py")
reader = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reader)

def read_manifest(files):
    reader.need(all(path in files for path in (reader.MANIFEST, reader.POLICY, reader.TOOLS)), "files/required")
    text = reader.Toml(files[reader.MANIFEST])
    named = reader.check_manifest(text.root)
    agent = text.root["agent"]
    called = agent["name"] + ("@" + agent["variant"] if "variant" in agent else "")
    identity = "blake3:" + reader.digest_of(files[reader.MANIFEST])
    return types.SimpleNamespace(text=text, named=named, agent=agent, called=called, identity=identity)

def read_signature(files, manifest): return reader.check_signature(files, manifest.agent) if reader.SIGNATURE in files else None

def counted_by(policy, signed, given, but):
    revoked, clock = () if but == "revoked" else None, None if but == "until" else given.clock
    return reader.counting(policy, signed[0], given.dev, clock, revoked)

def missing(policy, signed, manifest, given, but=None):
    return reader.unmet(policy, counted_by(policy, signed, given, but), manifest.called, signed[1], given.clock)

def check_contents(files, manifest, given):
    entry = manifest.named[0][0]
    return reader.check_contents(files, manifest.text.root, manifest.text.tokens, entry, bool(given.locks))

def check_lock(agents, policies, signed, manifest, contents, given):
    keys = {key for one in filter(None, policies) for key in (signed or [[]])[0] if reader.counting(one, [key], given.dev, given.clock)}
    facts = contents and contents[1]
    return reader.check_lock(agents, manifest.agent, manifest.called, manifest.agent["version"], manifest.identity, keys, facts)

def check_version(marks, policies, manifest):
    floors = [version for one in filter(None, policies) for pattern, version in one.floors.items() if reader.covers(pattern, manifest.called)]
    return reader.check_fresh(marks, manifest.agent["version"], manifest.identity, floors)

def check_end(signed, given):
    reader.need(signed[1] is None or not reader.is_after(given.clock, signed[1]), "expired", "expired")

questions = {
    "Refused": reader.Refused,
    "read_archive": reader.read_bundle,
    "read_manifest": read_manifest,
    "read_signature": read_signature,
    "check_files": lambda files, manifest: reader.check_digests(files, manifest.named),
    "check_expectation": lambda given, manifest, name: reader.check_expectation(given.expect, manifest.agent, manifest.identity, name),
    "read_policy": lambda path, given: reader.read_trust_policy(path, given.clock),
    "missing": missing,
    "counting": lambda policy, signed, manifest, given: counted_by(policy, signed, given, None),
    "check_contents": check_contents,
    "check_grants": lambda policy, names, manifest, contents: reader.check_grants(policy, names, manifest.called, contents[0]),
    "read_lock": reader.read_lock,
    "check_lock": check_lock,
    "read_marks": lambda manifest, given: reader.marks_of(given.state, manifest.called),
    "check_end": check_end,
    "check_version": check_version,
}
page = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else root / "docs/spec/judging.md"
exec(re.search(r"```python judge\n(.*?)```", page.read_text(), re.S)[1], questions)

def judge(bundle, policy, said):
    given = types.SimpleNamespace(
        policies=[path for path in (said.get("system"), policy) if path],
        locks=[path for path in (said.get("lock"),) if path],
        expect=said.get("expect"),
        dev=said.get("dev"),
        clock=said.get("clock") or "2026-07-01T00:00:00Z",
        state=said.get("state"),
    )
    verdict, code = questions["judge"](pathlib.Path(bundle).read_bytes(), bundle, given)
    return verdict, [code] if code else []

reader.judge = judge
reader.main(["--lines"])
