// Shows a channel to those who publish it: who may speak, what is missing, what to do next, and the age of its newest statements.
import { type Style, SYMBOLS } from '../cli/render/style.ts'
import type { ChannelRoot, Release, SignedStatement } from '../model/channel.ts'
import { digestText } from '../text/digest-text.ts'
import { printable } from '../text/printable.ts'
import { durationText, timeBetween } from '../text/time.ts'
import { signersIn } from '../trust/channels/advance.ts'
import { type ChannelResult, type NextStep, nextSteps } from './answers.ts'
import type { ChannelContents, ReleaseFiles } from './contents.ts'
import type { BuiltOn } from './newest.ts'
import { type Lacking, lacking, mayWhoSign, type WrittenKey, writtenKeys } from './signatures.ts'

/** How every command is shown that works on a channel. */
export const PUBLISHING = {
  quiet: () => [],
  warnings: ({ answer }: { readonly answer: ChannelResult }) => answer.warnings,
}

/** @param done one line, without the mark in front */
export function doneText(done: string, lines: readonly string[], style: Style): string {
  return [`${style.green(SYMBOLS.ok)} ${printable(done)}`, ...lines, ''].join('\n')
}

/** All of it, and what to do next. */
/** @param isQuiet without what to do next */
export function publishedLines(contents: ChannelContents, now: Date, isQuiet: boolean): string[] {
  const { name, roots, release, heartbeat, draft } = contents
  const newest = roots.at(-1)
  return [
    `channel ${nameText(name)}`,
    ...roots.slice(0, -1).map(root => rootHead(root)),
    ...(newest === undefined ? [] : rootLines(newest, now, writtenKeys(contents))),
    ...(release === undefined ? [] : releaseLines({ ...contents, release }, undefined, now)),
    ...(heartbeat === undefined
      ? []
      : [`heartbeat of ${heartbeat.statement.issued}, ${untilText(heartbeat.statement.expires, now)}`]),
    ...(draft.root === undefined ? [] : ['draft of', ...indented(draftLines(contents, draft.root, now))]),
    ...(draft.release === undefined
      ? []
      : ['draft of', ...indented(draftLines(contents, draft.release, now))]),
    ...(isQuiet ? [] : nextLines(contents, now)),
    ...(newest === undefined ? [] : [`hosts follow it with --root ${digestText(newest.digest)}`]),
  ]
}

export function nameText(name: string | undefined): string {
  return name === undefined ? 'without a name' : printable(name)
}

export function nextLines(contents: ChannelContents, now: Date): string[] {
  return nextSteps(contents, now).map(({ verb, why }) => `next: ${COMMANDS[verb]}: ${why}`)
}

/** The command of each step. */
const COMMANDS: { readonly [V in NextStep['verb']]: string } = {
  sign: 'rlp channel sign FOLDER --key KEY',
  release: 'rlp channel release FOLDER POLICY',
  rotate: 'rlp channel rotate FOLDER',
  heartbeat: 'rlp channel heartbeat FOLDER --key KEY',
}

function draftLines(
  contents: ChannelContents,
  one: SignedStatement<ChannelRoot | Release>,
  now: Date,
): string[] {
  const { draft } = contents
  const { statement } = one
  const may = mayWhoSign(contents)[statement.kind]
  const written = writtenKeys(contents)
  const about =
    statement.kind === 'root'
      ? rootLines(one as SignedStatement<ChannelRoot>, now, written)
      : releaseLines({ release: one as SignedStatement<Release>, files: draft.files }, contents, now)
  const missing = lacking(contents).filter(({ what }) => what === `${statement.kind} ${statement.version}`)
  return [
    ...about,
    ...signersIn(one, may).map(key => `  signed by ${written(key)}`),
    ...lackingLines(missing, written).map(line => `  ${line}`),
  ]
}

/** Who has to sign still, one line for each rule. */
export function lackingLines(missing: readonly Lacking[], written: WrittenKey): string[] {
  return missing.flatMap(({ what, whose, signed, needed, of }) => {
    const count = needed - signed.length
    const others = of.filter(key => !signed.includes(key))
    return [
      `${what} lacks ${count} ${count === 1 ? 'signature' : 'signatures'} of ${whose}:`,
      ...others.map(key => `  ${written(key)}`),
    ]
  })
}

function rootHead({ statement: { version, threshold, keys }, digest }: SignedStatement<ChannelRoot>): string {
  return `root ${version}  ${digestText(digest)}  ${threshold} of ${keys.length} keys`
}

export function rootLines(root: SignedStatement<ChannelRoot>, now: Date, written: WrittenKey): string[] {
  const { epoch, keys, heartbeats, heartbeatSeconds, expires } = root.statement
  return [
    rootHead(root),
    `  ${untilText(expires, now)}${epoch === 1 ? '' : `, epoch ${epoch}`}`,
    ...keys.map(key => `  ${written(key)}`),
    `  heartbeats of at most ${durationText(heartbeatSeconds)} by`,
    ...heartbeats.map(key => `    ${written(key)}`),
  ]
}

/** @param present what its files are compared with */
export function releaseLines(
  { release, files }: ReleaseFiles,
  present: Pick<ChannelContents, 'release'> | undefined,
  now: Date,
): string[] {
  if (release === undefined) return []
  const { version, epoch, expires } = release.statement
  const before = present?.release?.statement
  const compared = (name: string, blake3: string) => {
    const old = before?.files.find(file => file.name === name)
    if (before === undefined) return ''
    if (old === undefined) return '  new'
    return old.blake3 === blake3 ? `  as in release ${before.version}` : '  changed'
  }
  const gone = (before?.files ?? []).filter(({ name }) => !files.has(name))
  return [
    `release ${version}  ${digestText(release.digest)}`,
    `  ${untilText(expires, now)}${epoch === 1 ? '' : `, epoch ${epoch}`}`,
    ...release.statement.files.map(
      ({ name, size, blake3 }) => `  ${name}  ${size} bytes  ${digestText(blake3)}${compared(name, blake3)}`,
    ),
    ...gone.map(({ name }) => `  ${name}  no longer there`),
  ]
}

function untilText(end: string, now: Date): string {
  return Date.parse(end) < now.getTime()
    ? `ended at ${end}`
    : `until ${end}, ${timeBetween(now, new Date(end))} from now`
}

export function indented(lines: readonly string[]): string[] {
  return lines.map(line => `  ${line}`)
}

/** What a signature builds on, how old that is, and whether this user would know of anything newer. */
export function builtOnLines({ release, heartbeat, seen }: BuiltOn, now: Date): string[] {
  const ago = (moment: string) => `${moment}, ${timeBetween(new Date(moment), now)} ago`
  return [
    release === undefined
      ? 'builds on no release: none is complete yet'
      : `builds on release ${release.statement.version}  ${digestText(release.digest)}`,
    heartbeat === undefined
      ? 'there is no heartbeat yet'
      : `newest heartbeat of ${ago(heartbeat.statement.issued)}, for release ${heartbeat.statement.release.version}`,
    seen === undefined
      ? 'you have not seen this channel before: ask another person which release is the newest'
      : `you have seen nothing newer since ${ago(seen.since)}`,
  ]
}
