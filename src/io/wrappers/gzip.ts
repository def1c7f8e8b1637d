// gzip: our one member, or any that RFC 1952 allows.
import { createGunzip } from 'node:zlib'
import { gunzip } from '../gzip/gunzip.ts'
import { anyHeaderEnd } from '../gzip/gzip-header.ts'
import type { Opener } from './opener.ts'

export const GZIP_OPENER: Opener = {
  unwrap: (input, take) => gunzip(input, take),
  unwrapForeign: (input, take) => gunzip(input, take, anyHeaderEnd),
  lenient: () => createGunzip(),
}
