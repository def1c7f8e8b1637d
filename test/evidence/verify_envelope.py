# Reads a file of attestations and checks each envelope with securesystemslib: by its rules for DSSE, without a line of ours.
# Arguments: the file, and the public key in hex. Prints a line for each envelope.
import base64, json, sys
from securesystemslib.keys import verify_signature

path, public = sys.argv[1:]
for line in open(path, "rb"):
    envelope = json.loads(line)
    payload = base64.b64decode(envelope["payload"], validate=True)
    kind = envelope["payloadType"].encode()
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    key = {"keytype": "ed25519", "scheme": "ed25519", "keyid": "0" * 64, "keyval": {"public": public}}
    good = [
        verify_signature(key, {"keyid": "0" * 64, "sig": base64.b64decode(one["sig"]).hex()}, signed)
        for one in envelope["signatures"]
    ]
    print(json.loads(payload)["predicateType"], any(good))
