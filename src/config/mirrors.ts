// `[registries.mirrors]` of config.toml: a prefix of references → the prefix that is read in its place.
import type { Mirror, RegistryPrefix } from '../model/config.ts'
import type { Pointer } from '../model/document.ts'
import type { LayoutPlace } from '../model/oci.ts'
import type { Reading } from '../model/reading.ts'
import { repositoryProblem } from '../oci/reference.ts'
import { readHostPort } from '../policy/host.ts'
import type { TableReader } from '../toml/closed-table.ts'

const REGISTRY = 'oci://'
const LAYOUT = 'oci-layout:'
const MOST_MIRRORS = 1000

/** @param label name of the file. A wrong line is a problem of the reader, and left out. */
export function readMirrors(
  reader: TableReader,
  value: unknown,
  at: Pointer,
  label: string,
): readonly Mirror[] {
  const lines = Object.entries(reader.table(value, at))
  if (lines.length > MOST_MIRRORS) reader.wrong(at, `it has more than ${MOST_MIRRORS} lines`)
  const mirrors: Mirror[] = []
  for (const [key, stated] of lines) {
    const here = [...at, key]
    const prefix = readPrefix(key)
    if ('problem' in prefix) reader.wrong(here, `${key.slice(0, 60)}: ${prefix.problem}`, 'key')
    const text = reader.text(stated, here)
    const target = text === undefined ? undefined : readTarget(text)
    if (target !== undefined && 'problem' in target) reader.wrong(here, target.problem)
    if ('value' in prefix && target !== undefined && 'value' in target)
      mirrors.push({ prefix: prefix.value, target: target.value, from: label })
  }
  for (const [index, { prefix }] of mirrors.entries())
    if (mirrors.slice(0, index).some(other => isSame(other.prefix, prefix)))
      reader.wrong(at, `it names oci://${prefix.host} with the same repository twice`)
  return mirrors
}

function readTarget(text: string): Reading<RegistryPrefix | LayoutPlace> {
  if (!text.startsWith(LAYOUT)) return readPrefix(text)
  const folder = text.slice(LAYOUT.length)
  if (!folder.startsWith('/') || /[\u0000-\u001f\u007f]/.test(folder))
    return { problem: 'a layout folder is named by its absolute path' }
  let end = folder.length
  while (folder[end - 1] === '/') end--
  return { value: { in: 'layout', folder: folder.slice(0, end) } }
}

function readPrefix(text: string): Reading<RegistryPrefix> {
  if (!text.startsWith(REGISTRY))
    return { problem: 'it must be oci://HOST[:PORT] or oci://HOST[:PORT]/REPOSITORY' }
  const [hostPort = '', ...parts] = text.slice(REGISTRY.length).split('/')
  const read = readHostPort(hostPort)
  if ('problem' in read) return read
  const problem = parts.length === 0 ? undefined : repositoryProblem(parts.join('/'), hostPort)
  return problem === undefined ? { value: { in: 'registry', ...read, parts } } : { problem }
}

function isSame(one: RegistryPrefix, other: RegistryPrefix): boolean {
  return one.host === other.host && one.port === other.port && one.parts.join('/') === other.parts.join('/')
}
