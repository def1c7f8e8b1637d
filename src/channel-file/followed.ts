// channels.toml → the channels that a host follows. A closed document: a misspelt key must not pass for "follows nothing".
import type { FollowedChannel } from '../model/channel.ts'
import { own } from '../model/own.ts'
import type { Reading } from '../model/reading.ts'
import { ociReferenceText, readOciReference } from '../oci/reference.ts'
import { lineColumn } from '../text/decode.ts'
import { readDigestText } from '../text/digest-text.ts'
import { TableReader } from '../toml/closed-table.ts'
import { parseToml } from '../toml/parse.ts'

/** A local name: a bare key of TOML. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/

export const NAME_FORM = 'a name has lower-case letters, digits, - and _, at most 64'

export function isChannelName(name: string): boolean {
  return NAME.test(name)
}

/**
 * @param label name of the file in messages
 * @returns in the order of the file, or the first problem with line and column
 */
export function readFollowed(label: string, bytes: Uint8Array): Reading<readonly FollowedChannel[]> {
  const parsed = parseToml(label, bytes)
  if (!parsed.ok) {
    const { text, problem } = parsed
    const { line, column } = lineColumn(text ?? '', problem.offset ?? 0)
    return { problem: `${label}:${line}:${column}: ${problem.message}` }
  }
  const { document } = parsed
  const reader = new TableReader(document)
  const root = reader.table(document.value, [])
  reader.closed(root, ['channels'], [])
  const channels = reader.table(root['channels'], ['channels'])
  const followed = Object.keys(channels).map(name => {
    const at = ['channels', name]
    if (!isChannelName(name)) reader.wrong(at, NAME_FORM, 'key')
    const table = reader.table(own(channels, name), at)
    reader.closed(table, ['reference', 'root'], at)
    const reference = reader.text(table['reference'], [...at, 'reference'])
    const pinned = reader.text(table['root'], [...at, 'root'])
    if (reference === undefined || pinned === undefined)
      reader.wrong(at, 'a channel has a reference and a root', 'key')
    const problem = reference === undefined ? undefined : channelReferenceProblem(reference)
    if (problem !== undefined) reader.wrong([...at, 'reference'], problem)
    if (pinned !== undefined && readDigestText(pinned) === undefined)
      reader.wrong([...at, 'root'], 'it must be blake3: and 64 hex digits in lower case')
    return { name, reference: reference ?? '', root: readDigestText(pinned ?? '') ?? '' }
  })
  const [problem] = reader.problems
  if (problem === undefined) return { value: followed }
  const { pointer, part, message } = problem
  const { line, column } = lineColumn(document.text, document.locate(pointer, part).start)
  return { problem: `${label}:${line}:${column}: ${message}` }
}

/** What keeps a reference from naming a channel: a whole repository or folder is one. */
export function channelReferenceProblem(text: string): string | undefined {
  const read = readOciReference(text)
  if ('problem' in read) return read.problem
  const { tag, digest } = read.value
  if (tag !== undefined || digest !== undefined)
    return 'a channel is a whole repository or folder, without a tag or a digest'
  // One spelling, so that one channel is not followed under two.
  const spelled = ociReferenceText(read.value)
  return spelled === text ? undefined : `it is written ${spelled}`
}
