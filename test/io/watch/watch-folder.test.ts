// What changes in a folder is told once, by its paths; what is left out of a bundle is not looked at.
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { changedPaths, changesIn, stampFolder } from '../../../src/io/watch-folder.ts'
import { WATCHED_FOLDERS } from '../../../src/model/limits.ts'
import { temporary } from '../../support/folder.ts'

const folderFor = temporary('watch')

function world(name: string) {
  const folder = folderFor(name)
  const write = (path: string, text = path) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  write('manifest.toml')
  write('bin/x.wasm')
  return { folder, write }
}

describe('a folder that is watched', () => {
  test('tells of new, changed, moved and removed files, and of the ignore file', async () => {
    const { folder, write } = world('tells')
    const stop = new AbortController()
    const changes = changesIn(folder, ['tests'], stop.signal)
    const next = async () => (await changes.next()).value
    assert.deepEqual(await next(), [])
    write('manifest.toml', 'other')
    assert.deepEqual(await next(), ['manifest.toml'])
    write('bin/new/y.wasm')
    assert.deepEqual(await next(), ['bin/new/y.wasm'])
    // A folder that is new is watched as well.
    write('bin/new/y.wasm', 'longer than before')
    assert.deepEqual(await next(), ['bin/new/y.wasm'])
    renameSync(join(folder, 'bin/x.wasm'), join(folder, 'bin/z.wasm'))
    assert.deepEqual(await next(), ['bin/x.wasm', 'bin/z.wasm'])
    write('tests/a.json')
    assert.deepEqual(await next(), ['tests/a.json'])
    write('.bundleignore', '/bin/\n')
    assert.deepEqual(await next(), ['.bundleignore', 'bin/new/y.wasm', 'bin/z.wasm'])
    rmSync(folder, { recursive: true })
    assert.ok(((await next()) as readonly string[]).includes('manifest.toml'))
    const last = changes.next()
    stop.abort()
    assert.equal((await last).done, true)
  })

  test('what is ignored, hidden or another agent is not looked at', async () => {
    const { folder, write } = world('quiet')
    const { signal } = new AbortController()
    write('.bundleignore', '/target/\n')
    const { stamps } = await stampFolder(folder, [], signal)
    for (const path of ['target/x', '.git/x', '.x', 'variants/pro/manifest.toml', 'tests/x.json']) write(path)
    assert.deepEqual(changedPaths(stamps, (await stampFolder(folder, [], signal)).stamps), [])
  })

  test('a folder with more folders than are watched is looked at in turns', async () => {
    const { folder, write } = world('many')
    for (let at = 0; at <= WATCHED_FOLDERS; at++) write(`data/${at}/x`)
    const stop = new AbortController()
    const changes = changesIn(folder, [], stop.signal)
    await changes.next()
    write(`data/${WATCHED_FOLDERS}/x`, 'another text')
    assert.deepEqual((await changes.next()).value, [`data/${WATCHED_FOLDERS}/x`])
    stop.abort()
    assert.equal((await changes.next()).done, true)
  })
})
