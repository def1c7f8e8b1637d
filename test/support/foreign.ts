// Tar archives as other programs write them, and by hand, for tests of what `pack` makes of them.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { create } from 'tar'
import { BLOCK, paddingAfter, TRAILER } from '../../src/bundle/archive.ts'
import { type ForeignAgent, readForeign } from '../../src/pack/foreign.ts'
import { packedBytes } from '../../src/pack/pack.ts'
import { sum, text } from './archive.ts'
import { type Content, collect } from './memory.ts'
import { PYTHON } from './python.ts'

export interface Odd {
  readonly type?: string
  readonly link?: string
  /** In place of the size of the content. */
  readonly size?: string
  readonly change?: (header: Uint8Array) => void
}

/** One entry with any name, as GNU tar and bsdtar write it: modes, owners and dates of a disk. */
export function item(
  path: string,
  content: Content = '',
  { type = '0', link = '', size, change }: Odd = {},
): Buffer {
  const bytes = Buffer.from(content as Uint8Array)
  const header = new Uint8Array(BLOCK)
  text(header, 0, 100, Buffer.from(path).toString('latin1'))
  text(header, 100, 8, '0000640\0')
  text(header, 108, 8, '0001750\0')
  text(header, 116, 8, '0001750\0')
  text(header, 124, 12, size ?? `${bytes.length.toString(8).padStart(11, '0')}\0`)
  text(header, 136, 12, '14000000000\0')
  text(header, 156, 1, type)
  text(header, 157, 100, link)
  text(header, 257, 8, 'ustar\x0000')
  text(header, 265, 32, 'somebody')
  change?.(header)
  sum(header)
  return Buffer.concat([header, bytes, Buffer.alloc(paddingAfter(bytes.length))])
}

export const tarOf = (...items: Uint8Array[]): Buffer => Buffer.concat([...items, TRAILER])

/** A tree below a folder, or below none. */
export function items(tree: Readonly<Record<string, Content>>, root = 'some thing/'): Buffer[] {
  return Object.entries(tree).map(([path, content]) => item(root + path, content))
}

/** A pax header with these records. */
export function pax(records: Readonly<Record<string, Content>>, type = 'x'): Buffer {
  return item('PaxHeader', Buffer.concat(Object.entries(records).map(([key, value]) => record(key, value))), {
    type,
  })
}

export function record(key: string, value: Content): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value as Uint8Array), Buffer.from('\n')])
  let length = rest.length
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

/** Packs the folder `name` below `cwd` with another program. */
export const PACKERS: Readonly<Record<string, (cwd: string, name: string, out: string) => void>> = {
  ...Object.fromEntries(
    ['v7', 'ustar', 'gnu', 'oldgnu', 'posix'].map(format => [
      `GNU tar, ${format}`,
      (cwd: string, name: string, out: string) =>
        execFileSync('tar', [`--format=${format}`, '-cf', out, name], { cwd }),
    ]),
  ),
  'GNU tar, without a root': (cwd, name, out) =>
    execFileSync('tar', ['-cf', out, '-C', join(cwd, name), '.']),
  'GNU tar, gzip': (cwd, name, out) => execFileSync('tar', ['-czf', out, name], { cwd }),
  'node-tar': (cwd, name, out) => create({ file: out, cwd, sync: true }, [name]),
  'node-tar, portable and gzip': (cwd, name, out) =>
    create({ file: out, cwd, sync: true, portable: true, gzip: true }, [name]),
  ...Object.fromEntries(
    ['USTAR_FORMAT', 'GNU_FORMAT', 'PAX_FORMAT'].map(format => [
      `Python, ${format}`,
      (cwd: string, name: string, out: string) => python(cwd, name, out, format),
    ]),
  ),
}

function python(cwd: string, name: string, out: string, format: string): void {
  const script =
    'import sys, tarfile\nwith tarfile.open(sys.argv[1], "w:gz", format=getattr(tarfile, sys.argv[3])) as t: t.add(sys.argv[2], arcname="release 1.0")'
  execFileSync(PYTHON, ['-c', script, out, name, format], { cwd })
}

export async function foreign(source: string | Uint8Array, options = {}): Promise<ForeignAgent> {
  return readForeign(source, { label: 'x.tar', ...options })
}

/** The bundle that comes of it. */
export async function bundleFrom(source: string | Uint8Array): Promise<Buffer> {
  return collect(packedBytes((await foreign(source)).agent))
}

export const bytesAt = (path: string): Buffer => readFileSync(path)
