// docs/registries.md: what it shows with a layout folder is run here, what it shows with a registry in real.registry.ts.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { run } from '../support/fake-terminal.ts'
import { temporary } from '../support/folder.ts'
import { made, RELEASE, world } from '../support/install-world.ts'
import { FakeRegistry } from '../support/oci-registry.ts'
import { registriesDoc, words } from '../support/registries-doc.ts'

const folder = temporary('registries-doc')

test('what the page shows without a server works, in its order', async () => {
  const here = world(folder('layout'))
  mkdirSync(join(here.cwd, 'dist'))
  const bundle = made({ name: 'mailer', version: '0.1.0' }, RELEASE)
  here.put('dist/mailer-0.1.0.agent.bundle', bundle)
  const blocks = registriesDoc().filter(lines => lines.every(line => /oci-layout:/.test(line)))
  assert.equal(blocks.length, 3)
  const must = async (line: string) => {
    const { exit, stdout, stderr } = await here.say(...words(line))
    assert.equal(exit, 0, `${line}\n${stdout}${stderr}`)
  }
  for (const line of blocks.flat()) {
    if (line.includes(' detach ') && line.includes('--dry-run')) {
      const name = 'dist/mailer-0.1.0.agent.bundle'
      await must('rlp key generate ci --no-passphrase')
      await must(`rlp agent provenance ${name} --builder https://ci.example/1 --key ci`)
      await must(`rlp agent push ${name} oci-layout:store`)
    }
    await must(line)
  }
  assert.deepEqual(readFileSync(join(here.cwd, 'got/mailer-0.1.0.agent.bundle')), bundle)
  assert.ok(existsSync(join(here.root, 'mailer.agent.bundle')))
})

test('the file that the page shows logs in a pipeline that REGISTRY_AUTH_FILE leads to it', async t => {
  const registry = await new FakeRegistry({ login: 'ci:s3cret' }).start()
  t.after(() => registry.stop())
  const cwd = folder('pipeline')
  const [, shown = ''] =
    /```json\n(\{ "auths": .*\n)```/.exec(readFileSync('docs/registries.md', 'utf8')) ?? []
  assert.match(shown, /registry\.example/)
  writeFileSync(join(cwd, 'auth.json'), shown.replace('registry.example', registry.host))
  const list = (env: Readonly<Record<string, string>>) =>
    run(['agent', 'list', `oci://${registry.host}/agents/mailer`], undefined, {
      cwd,
      env: { HOME: cwd, ...env },
    })
  const without = await list({})
  assert.equal(without.exit, 3)
  assert.match(without.stderr, /it wants to know who asks .*\nhint: Log in with rlp login HOST\n/)
  const { exit, stderr } = await list({ REGISTRY_AUTH_FILE: join(cwd, 'auth.json') })
  assert.equal(exit, 0, stderr)
})

test('every block of the page is run somewhere', () => {
  // rlp login has a transcript of its own.
  const known = [/^rlp .*oci-layout:/, /^rlp .*localhost:5000/, /^rlp (?:login|logout) /]
  for (const line of registriesDoc().flat())
    assert.ok(
      known.some(one => one.test(line)),
      line,
    )
})
