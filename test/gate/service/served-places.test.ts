// What an operator serves → prefixes and names, resolved once when the gate is started.
import assert from 'node:assert/strict'
import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { namedFiles, servedPrefixes } from '../../../src/gate/service/served-places.ts'
import { temporary } from '../../support/folder.ts'

const cwd = realpathSync(temporary('served-places')('all'))
mkdirSync(join(cwd, 'bundles/deep'), { recursive: true })
symlinkSync('bundles', join(cwd, 'current'))
symlinkSync('gone', join(cwd, 'dangling'))

const foldersOf = (...prefixes: string[]) => servedPrefixes(prefixes, cwd).folders
const referencesOf = (...prefixes: string[]) => servedPrefixes(prefixes, cwd).references

describe('a folder that is served', () => {
  test('is absolute and without links', () => {
    const bundles = join(cwd, 'bundles')
    assert.deepEqual(foldersOf('bundles', bundles, './bundles/', 'current', 'oci-layout:bundles'), [
      ...Array(5).fill(bundles),
    ])
    assert.deepEqual(foldersOf('current/deep', '.'), [join(bundles, 'deep'), cwd])
    assert.deepEqual(foldersOf('~'), [realpathSync(homedir())])
    assert.deepEqual(referencesOf('bundles', 'oci-layout:bundles'), [])
  })

  test('that is not there is refused before anything listens', () => {
    for (const prefix of ['none', 'dangling', 'oci-layout:none', 'bundles/none'])
      assert.throws(() => servedPrefixes(['bundles', prefix], cwd), {
        code: 'NOT_FOUND',
        message: `Cannot serve "${prefix}": there is no such folder`,
      })
  })
})

describe('a reference that is served', () => {
  test('is a host, or the first parts of a repository, with or without a slash at the end', () => {
    assert.deepEqual(
      referencesOf(
        ...['oci://registry.example', 'oci://registry.example/', 'oci://registry.example:5000'],
        ...['oci://registry.example/agents', 'oci://registry.example/agents/', 'oci://registry.example/a/x'],
      ),
      [
        ...['oci://registry.example', 'oci://registry.example', 'oci://registry.example:5000'],
        ...['oci://registry.example/agents', 'oci://registry.example/agents', 'oci://registry.example/a/x'],
      ],
    )
    assert.deepEqual(foldersOf('oci://registry.example'), [])
  })

  test('that names one bundle, or nothing that can be, is refused with the reason', () => {
    for (const [prefix, state] of [
      ['oci://registry.example/agents:1.0.0', /: it has a tag or a digest$/],
      [`oci://registry.example/agents@sha256:${'a'.repeat(64)}`, /: it has a tag or a digest$/],
      ['oci://registry.example/Agents', /: a repository has parts of/],
      ['oci://', /: /],
      ['OCI://registry.example', /: oci:\/\/ is written in lower case$|lower case/],
    ] as const)
      assert.throws(() => servedPrefixes([prefix], cwd), { code: 'USAGE', message: state }, prefix)
  })
})

describe('files by name', () => {
  const named = (...pairs: string[]) => Object.fromEntries(namedFiles('serve-lock', pairs, cwd))

  test('are absolute, and a path may have "=" in it', () => {
    assert.deepEqual(named('production=rlp.lock', '0a._-=/etc/a=b.lock', 'home=~/rlp.lock'), {
      production: join(cwd, 'rlp.lock'),
      '0a._-': '/etc/a=b.lock',
      home: join(homedir(), 'rlp.lock'),
    })
    assert.deepEqual(named(), {})
    assert.deepEqual(Object.keys(named(`${'a'.repeat(64)}=x`)), ['a'.repeat(64)])
  })

  test('are refused without a name, without a file, and with a name that no question can have', () => {
    for (const pair of ['rlp.lock', '=rlp.lock', 'house=', 'House=x', '-a=x', 'a/b=x', `${'a'.repeat(65)}=x`])
      assert.throws(() => named(pair), {
        code: 'USAGE',
        message: `Cannot use --serve-lock "${pair}": it is not NAME=FILE`,
      })
  })

  test('are refused where a name is there twice: which one is meant cannot be told', () => {
    assert.throws(() => named('a=x', 'b=x', 'a=y'), {
      code: 'USAGE',
      message: 'Cannot use --serve-lock "a=y": the name is there twice',
    })
  })
})
