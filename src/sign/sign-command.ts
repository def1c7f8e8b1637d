// rlp agent sign: adds a signature to a sound bundle.

import { defineCommand, type Io } from '../cli/command.ts'
import { each, failuresOf, type Outcome, printFailures, worstExit } from '../cli/each.ts'
import { accessIn } from '../cli/registry-access.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { printable } from '../format/text/printable.ts'
import type { Target } from '../io/find-agents.ts'
import { findBundles } from '../io/find-bundles.ts'
import { realPath } from '../io/real-path.ts'
import type { Agent } from '../model/agent.ts'
import type { ToSign } from '../verify/to-sign.ts'
import { refuseAtOnce } from './refuse-at-once.ts'
import type { Signing, SignOptions } from './sign.ts'
import { readSound, signBundle } from './sign-bundle.ts'
import { refuseUnclear, SIGN_BUNDLES, SIGN_OPTIONS, type SignArgs, warnOfEnd } from './sign-options.ts'
import { exportPayload, openSigner } from './signing-options.ts'

export const command = defineCommand({
  name: 'agent sign',
  summary: 'add a signature to a bundle',
  positionals: [SIGN_BUNDLES],
  options: SIGN_OPTIONS,
  examples: [
    ['rlp agent sign dist/mailer-0.1.0.agent.bundle --key release', 'with a key by name'],
    ['rlp agent sign dist --key env:SIGNING_KEY', 'every bundle in a folder, in a pipeline'],
    ['rlp agent sign dist --key ssh-agent:release', 'with a key that stays in the ssh agent'],
    [
      'rlp agent sign oci://registry.example/agents/mailer:0.1.0 --key review --expect mailer@0.1.0',
      'beside a stored bundle, whose digest stays',
    ],
    ['rlp agent sign b.agent.bundle --export-payload to-sign.bin', 'the exact bytes for a signer outside'],
    [
      'rlp agent sign b.agent.bundle --import-signature sig.bin --key signer.pub',
      'and back; --key is then the public key',
    ],
  ],
  notes:
    'A second signer signs the same statement and is added; a second signature of one key replaces its first. What does not verify is not signed, and the new bundle is verified before it takes the old one’s place.',
  async run(args, io) {
    const targets = await findBundles(args.bundle, { cwd: io.cwd, signal: io.signal })
    refuseUnclear(args, targets)
    const { done, failed } = await signAll(targets, args, io)
    report(io, args, {
      tool: 'agent.sign',
      result: { bundles: done, ...(failed.length > 0 && { failed: failuresOf(failed) }) },
      text: () => {
        const ok = createStyle(io.color).green(SYMBOLS.ok)
        return done
          .map(({ bundle, payload, signer, identity }) => {
            const which = identity === undefined ? '' : `, identity blake3:${identity}`
            return payload ?? `${bundle} signed by ${signer}${which}`
          })
          .map(line => `${ok} ${printable(line)}\n`)
          .join('')
      },
    })
    printFailures(io, args, failed)
    return worstExit([], failed)
  },
})

async function signAll(targets: readonly Target[], args: SignArgs, io: Io): Promise<Outcome<Signed>> {
  const { done, failed } = await each(targets, refuseAtOnce)
  if (done.length === 0) return { done: [], failed }
  const signing = args.exportPayload === undefined ? await openSigner(args, io) : undefined
  warnOfEnd(args, io)
  return each(targets, target => signOne(target, args, signing, io))
}

interface Signed {
  readonly bundle: string
  /** Anchor string, if something was signed. */
  readonly signer?: string
  /** BLAKE3 of the manifest, if the bundle is in a registry. */
  readonly identity?: string
  /** The file with the bytes to sign, if they were written. */
  readonly payload?: string
}

async function signOne(
  { path: named, label }: Target,
  args: SignArgs,
  signing: Signing | undefined,
  io: Io,
): Promise<Signed> {
  const options: SignOptions = {
    replace: args.replace,
    ...(args.notAfter !== undefined && { notAfter: args.notAfter }),
  }
  if (isOciReference(named)) return signStored({ path: named, label }, args, signing, options, io)
  if (signing !== undefined) return signBundle({ path: named, label }, signing, options, io)
  const { agent } = await readSound(await realPath(named, label), label, io)
  return exported(label, agent, options, args, io)
}

async function exported(bundle: string, agent: Agent, options: SignOptions, args: SignArgs, io: Io) {
  return { bundle, payload: await exportPayload(agent, options, args.exportPayload ?? '', io) }
}

/** A bundle in a registry gets a signature beside it. */
async function signStored(
  target: Target,
  args: SignArgs,
  signing: Signing | undefined,
  options: SignOptions,
  io: Io,
): Promise<Signed> {
  const { countersign, withStored } = await import('../registry/countersign.ts')
  const { askToSign, refuseUnasked } = await import('../registry/ask-countersign.ts')
  const { expect } = args
  refuseUnasked(expect, target.label, args, io)
  const approve = (bundle: ToSign) => askToSign(expect, bundle, args, io)
  const how = { access: accessIn(io, args), signal: io.signal, expect, approve }
  if (signing !== undefined) return countersign(target, signing, options, how)
  return withStored(target, { ...how, writes: false }, (_, agent) =>
    exported(target.label, agent, options, args, io),
  )
}
