// rlp agent sign: one signature more on a sound bundle.
import { anchorString, rawPublicKey } from '../../format/ed25519.ts'
import { preAuthEncoding } from '../../format/envelope.ts'
import { findBundles, type Target } from '../../io/find-agents.ts'
import { loadPrivateKey, loadPublicKey, signerOf } from '../../io/keys.ts'
import { withLock } from '../../io/lock.ts'
import { readBundle } from '../../io/read-bundle.ts'
import { openFile, readWhole } from '../../io/read-file.ts'
import { writeAtomic } from '../../io/write-atomic.ts'
import { writeSignature, writeSignatureFile } from '../../io/write-signature.ts'
import type { Agent } from '../../model/agent.ts'
import type { Candidate } from '../../model/bundle.ts'
import { RlpError } from '../../model/error.ts'
import { read } from '../../read.ts'
import { assertSound, payloadFor, type SignOptions, sign, withSignature } from '../../sign.ts'
import { verify } from '../../verify.ts'
import { type CommandArgs, defineCommand, type Io } from '../command.ts'
import { each, failuresOf, printFailures, worstExit } from '../each.ts'
import type { OptionTable, Positional } from '../option.ts'
import { askPassphrase } from '../passphrase.ts'
import { report } from '../render/report.ts'
import { printable } from '../render/sanitize.ts'
import { createStyle, SYMBOLS } from '../render/style.ts'
import { UsageError } from '../usage-error.ts'

const OPTIONS = {
  key: { type: 'string', alias: 'k', placeholder: 'KEY', describe: 'a name, a PEM file, or env:VAR' },
  'not-after': {
    type: 'string',
    placeholder: 'TIME',
    describe: 'when the signature ends, as 2027-11-20T00:00:00Z',
  },
  replace: { type: 'boolean', describe: 'drop the signatures that are there' },
  'export-payload': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'write the bytes to sign, for a signer outside; sign nothing',
  },
  'import-signature': {
    type: 'string',
    placeholder: 'FILE',
    describe: 'add a signature made outside: 64 bytes, raw or base64',
  },
} as const satisfies OptionTable

const BUNDLES = {
  name: 'bundle',
  required: true,
  many: true,
  describe: 'a bundle, an unpacked bundle, or a folder of bundles',
} as const satisfies Positional

type Args = CommandArgs<typeof OPTIONS, readonly [typeof BUNDLES]>

export const command = defineCommand({
  name: 'agent sign',
  summary: 'add a signature to a bundle',
  positionals: [BUNDLES],
  options: OPTIONS,
  examples: [
    ['rlp agent sign dist/mailer-0.1.0.agent.bundle --key release', 'with a key by name'],
    ['rlp agent sign dist --key env:SIGNING_KEY', 'every bundle in a folder, in a pipeline'],
    ['rlp agent sign b.agent.bundle --export-payload to-sign.bin', 'the exact bytes for a signer outside'],
    [
      'rlp agent sign b.agent.bundle --import-signature sig.bin --key signer.pub',
      'and back; --key is then the public key',
    ],
  ],
  notes:
    'A second signer signs the same statement and is added; a second signature of one key replaces its first. What does not verify is not signed, and the new bundle is verified before it takes the old one’s place.',
  async run(args, io) {
    const targets = await findBundles(args.bundle, io.cwd)
    refuseUnclear(args, targets)
    const { done, failed } = await each(targets, target => signOne(target, args, io))
    report(io, args, {
      tool: 'agent.sign',
      result: { bundles: done, ...(failed.length > 0 && { failed: failuresOf(failed) }) },
      text: () => {
        const ok = createStyle(io.color).green(SYMBOLS.ok)
        return done
          .map(
            ({ bundle, payload, signer }) =>
              `${ok} ${printable(payload ?? `${bundle} signed by ${signer}`)}\n`,
          )
          .join('')
      },
    })
    await printFailures(io, args, failed)
    return worstExit([], failed)
  },
})

function refuseUnclear(args: Args, targets: readonly Target[]): void {
  const isExport = args.exportPayload !== undefined
  if (isExport && args.importSignature !== undefined) {
    throw new UsageError('Cannot use --export-payload with --import-signature', {
      hint: 'Export first, sign outside, then import',
    })
  }
  if ((isExport || args.importSignature !== undefined) && targets.length > 1) {
    throw new UsageError(`Cannot use an outside signer with ${targets.length} bundles at once`, {
      hint: 'Name one bundle',
    })
  }
  if (!isExport && args.key === undefined) {
    throw new UsageError('Cannot sign: --key is missing', {
      hint: 'Name a key, or make one with rlp key generate NAME',
    })
  }
}

interface Signed {
  readonly bundle: string
  /** Anchor string, when something was signed. */
  readonly signer?: string
  /** Where the bytes to sign were written, when they were. */
  readonly payload?: string
}

async function signOne(target: Target, args: Args, io: Io): Promise<Signed> {
  const lock = `${target.path.replace(/\/+$/, '')}.rlp-lock`
  return withLock(lock, `sign "${target.label}"`, () => signHeld(target, args, io), io.signal)
}

async function signHeld(target: Target, args: Args, io: Io): Promise<Signed> {
  const { path, label } = target
  const candidate = await readSound(path, label, io)
  const agent = read(candidate.files, label, 'bundle')
  const options: SignOptions = {
    replace: args.replace,
    ...(args.notAfter !== undefined && { notAfter: args.notAfter }),
  }
  if (args.exportPayload !== undefined) {
    await writeAtomic(args.exportPayload, preAuthEncoding(payloadFor(agent, options)), { signal: io.signal })
    return { bundle: label, payload: args.exportPayload }
  }
  const { envelope, signer } = await envelopeFor(agent, options, args, io)
  if (candidate.form === 'directory') await writeSignatureFile(path, envelope, { label, signal: io.signal })
  else
    await writeSignature(path, envelope, {
      label,
      signal: io.signal,
      check: temporary => assertSigned(temporary, label, signer, io),
    })
  return { bundle: label, signer }
}

/** The bundle, when it is one that should be signed. */
async function readSound(path: string, label: string, io: Io): Promise<Candidate> {
  const candidate = await readBundle(path, { keep: 'parsed', signal: io.signal, label })
  if (candidate.form === 'gzip') {
    throw new RlpError('WRONG_FILE_TYPE', `Cannot sign "${label}": it is wrapped in gzip`, {
      hint: 'Sign the archive inside: gunzip it, sign it, and wrap it again with gzip -n',
    })
  }
  assertSound(verify(candidate, { expect: 'any' }).report)
  return candidate
}

async function envelopeFor(
  agent: Agent,
  options: SignOptions,
  args: Args,
  io: Io,
): Promise<{ envelope: Uint8Array; signer: string }> {
  const key = args.key ?? ''
  if (args.importSignature === undefined) {
    const signer = signerOf(await loadPrivateKey(key, io.env, askPassphrase(io)))
    return { envelope: sign(agent, signer, options), signer: anchorString(signer.publicKey) }
  }
  const publicKey = rawPublicKey(await loadPublicKey(key, io.env, askPassphrase(io))) ?? new Uint8Array()
  const signature = await readSignature(args.importSignature)
  const payload = payloadFor(agent, options)
  return {
    envelope: withSignature(agent, payload, publicKey, signature, options),
    signer: anchorString(publicKey),
  }
}

async function readSignature(path: string): Promise<Uint8Array> {
  const file = await openFile(path, { follow: true })
  try {
    const bytes = file.size > 200 ? new Uint8Array() : await readWhole(file, path)
    if (bytes.length === 64) return bytes
    const text = Buffer.from(Buffer.from(bytes).toString('latin1').trim(), 'base64')
    if (text.length === 64) return new Uint8Array(text)
  } finally {
    await file.handle.close()
  }
  throw new RlpError(
    'WRONG_FILE_TYPE',
    `Cannot add the signature in "${path}": it is not 64 bytes, raw or in base64`,
  )
}

/** Signs, then checks its own signature, on the very bytes that are about to take the bundle's place. */
async function assertSigned(path: string, label: string, signer: string, io: Io): Promise<void> {
  const candidate = await readBundle(path, { keep: 'parsed', signal: io.signal, label })
  const { report } = verify(candidate, { expect: 'any' })
  assertSound(report)
  if (report.signatures.some(({ keyid }) => keyid === signer)) return
  throw new RlpError('CHANGED_WHILE_READING', `Cannot sign "${label}": it changed while it was signed`, {
    hint: 'Run the command again',
  })
}
