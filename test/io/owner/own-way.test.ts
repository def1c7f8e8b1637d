// The way to rlp's home: a link or a folder of another user, or one that others may write, makes what is remembered there unusable. It is
// never the same as a home in which nothing is remembered.
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { refuseForeignLinks, refuseForeignWay } from '../../../src/io/owner/owner.ts'
import { readOwn } from '../../../src/io/owner/read-own.ts'
import { Ways } from '../../../src/io/owner/ways.ts'
import { run } from '../../support/fake-terminal.ts'
import { snapshot, temporary } from '../../support/folder.ts'
import { made, RELEASE, type World, world } from '../../support/install-world.ts'
import { IS_ROOT } from '../../support/run.ts'

const folder = temporary('own-way')
const OTHER = 12345

/** A folder that is not there by its own path alone: `way/link/home` leads to `real/home`. */
function linked(name: string): { at: string; way: string; link: string; real: string } {
  const base = folder(name)
  const [way, real] = [join(base, 'way'), join(base, 'real')]
  mkdirSync(way)
  mkdirSync(join(real, 'home'), { recursive: true })
  const link = join(way, 'link')
  symlinkSync('../real', link)
  return { at: join(link, 'home'), way, link, real }
}

const refused = (path: string, what?: 'links') => {
  try {
    if (what === 'links') refuseForeignLinks(path, new Ways())
    else refuseForeignWay(path, new Ways())
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

describe('each segment', { skip: IS_ROOT ? false : 'only root can give files away' }, () => {
  test('of our own, through links, missing or not', () => {
    const { at, way } = linked('own')
    for (const path of [at, join(at, 'state'), join(way, 'gone/home'), join(at, 'state/a/b')])
      assert.equal(refused(path), undefined, path)
  })

  test('is refused if it is a link of another user, whatever it leads to', () => {
    const { at, link } = linked('link')
    lchownSync(link, OTHER, OTHER)
    for (const path of [at, join(at, 'state'), link])
      for (const what of [undefined, 'links'] as const)
        assert.match(refused(path, what) ?? '', /(?:on the way, ".*link"|: it) is a link of another user$/)
    rmSync(link)
    symlinkSync('/usr/share', link)
    lchownSync(link, OTHER, OTHER)
    assert.match(refused(join(link, 'home')) ?? '', /link of another user/)
  })

  test('is refused if a link leads through a link of another user', () => {
    const { at, way } = linked('through')
    renameSync(join(way, 'link'), join(way, 'second'))
    symlinkSync(join(way, 'second'), join(way, 'link'))
    assert.equal(refused(at), undefined)
    lchownSync(join(way, 'second'), OTHER, OTHER)
    assert.match(refused(at) ?? '', /on the way, ".*second" is a link of another user/)
  })

  test('is refused if it is a folder of another user, before and behind a link', () => {
    for (const which of ['way', 'real'] as const) {
      const made = linked(`folder-${which}`)
      chownSync(made[which], OTHER, OTHER)
      assert.match(refused(made.at) ?? '', new RegExp(`on the way, ".*${which}" belongs to another user`))
      // The checkout of a pipeline may belong to another user; a link of that user may not be followed.
      assert.equal(refused(made.at, 'links'), undefined)
    }
  })

  test('is refused if others may write it, unless it has the sticky bit', () => {
    for (const which of ['way', 'real'] as const) {
      const made = linked(`loose-${which}`)
      for (const [mode, says] of [
        [0o775, /others may write ".*" on the way/],
        [0o757, /others may write ".*" on the way/],
        [0o1777, undefined],
        [0o755, undefined],
      ] as const) {
        chmodSync(made[which], mode)
        const said = refused(made.at)
        if (says === undefined) assert.equal(said, undefined)
        else assert.match(said ?? '', says)
      }
    }
  })

  test('is refused above a home, and may belong to another user below it', () => {
    const { at, way, real } = linked('below')
    const [checkout, file] = [join(at, 'checkout'), join(at, 'checkout/policy')]
    mkdirSync(checkout)
    writeFileSync(file, '')
    chownSync(checkout, OTHER, OTHER)
    assert.doesNotThrow(() => refuseForeignLinks(file, new Ways(), at))
    assert.throws(
      () => refuseForeignLinks(file, new Ways(), checkout),
      /on the way, ".*checkout" belongs to another user/,
    )
    // A link below the home leads out of what has to be its own.
    mkdirSync(join(way, 'shared'))
    writeFileSync(join(way, 'shared/policy'), '')
    chownSync(join(way, 'shared'), OTHER, OTHER)
    symlinkSync(join(way, 'shared/policy'), join(at, 'led'))
    assert.doesNotThrow(() => refuseForeignLinks(join(at, 'led'), new Ways(), at))
    lchownSync(join(at, 'led'), OTHER, OTHER)
    assert.throws(
      () => refuseForeignLinks(join(at, 'led'), new Ways(), at),
      /on the way, ".*led" is a link of another user/,
    )
    chownSync(real, OTHER, OTHER)
    for (const path of [file, join(at, 'gone')])
      assert.throws(
        () => refuseForeignLinks(path, new Ways(), at),
        /home": on the way, ".*real" belongs to another user/,
      )
  })

  test('a home that others may write is refused with the file, and without one', async () => {
    const { at, real } = linked('loose-home')
    writeFileSync(join(at, 'policy'), 'text', { mode: 0o600 })
    mkdirSync(join(at, 'below'))
    for (const name of ['policy', 'gone', 'below/gone'])
      assert.equal(
        (await readOwn(join(at, name), new Ways(), { home: at }))?.length,
        name === 'policy' ? 4 : undefined,
      )
    chmodSync(join(real, 'home'), 0o775)
    for (const name of ['policy', 'gone', 'below/gone'])
      await assert.rejects(readOwn(join(at, name), new Ways(), { home: at }), {
        code: 'NO_PERMISSION',
        message: `Cannot rely on "${at}": others may write it`,
        hint: `Run chmod go-w ${at}`,
      })
    chmodSync(join(at, 'policy'), 0o664)
    await assert.rejects(readOwn(join(at, 'policy'), new Ways(), { home: at }), {
      message: `Cannot rely on "${join(at, 'policy')}": others may write it`,
      hint: `Run chmod go-w ${join(at, 'policy')} ${at}`,
    })
  })

  test('of a circle of links ends', () => {
    const { way, link } = linked('circle')
    rmSync(link)
    symlinkSync('other', link)
    symlinkSync('link', join(way, 'other'))
    assert.equal(refused(join(link, 'home')), undefined)
  })
})

describe('a home behind a link of another user', {
  skip: IS_ROOT ? false : 'only root can give files away',
}, () => {
  /** A host that remembers 2.0.0, and is asked about 1.0.0 by a path through a link. */
  async function host(name: string): Promise<{ here: World; link: string }> {
    const here = world(folder(name))
    await here.install(here.put('new', made({ version: '2.0.0' }, RELEASE)), '--yes')
    here.put('old', made({ version: '1.0.0' }, RELEASE))
    const link = join(here.cwd, 'link')
    symlinkSync(here.home, link)
    return { here: { ...here, home: link }, link }
  }
  /** With another home than the world's own. */
  async function at(home: string, cwd: string, ...args: string[]) {
    process.env['RUNLOOP_HOME'] = home
    const { exit, stdout } = await run([...args, '--json'], undefined, { cwd, env: { RUNLOOP_HOME: home } })
    const envelope = JSON.parse(stdout)
    return { exit, envelope, said: JSON.stringify(envelope) }
  }

  test('loses no mark, key, policy or override', async () => {
    const { here, link } = await host('marks')
    const old = ['agent', 'verify', 'old']
    assert.match((await at(link, here.cwd, ...old)).said, /"verdict":"rolled_back"/)
    // The other user leads it to a home of ours that is empty, with the policy alone.
    const empty = join(here.cwd, 'empty')
    mkdirSync(empty)
    writeFileSync(join(empty, 'trust-policy.toml'), '', { mode: 0o600 })
    for (const target of [here.cwd, empty, join(here.cwd, 'home'), '/nowhere']) {
      rmSync(link)
      symlinkSync(target, link)
      lchownSync(link, OTHER, OTHER)
      const { exit, envelope, said } = await at(link, here.cwd, ...old)
      assert.deepEqual([exit, envelope.result.bundles[0].verdict], [3, 'indeterminate'], said)
      assert.match(said, /link of another user/)
      const given = await at(
        link,
        here.cwd,
        ...old,
        '--trust-policy',
        join(here.cwd, 'home/trust-policy.toml'),
      )
      assert.deepEqual([given.exit, given.envelope.result.bundles[0].verdict], [3, 'indeterminate'])
      // Marks and overrides, each with its own reason.
      assert.match(given.said, /link of another user/)
      const before = snapshot(here.cwd)
      for (const args of [
        ['agent', 'install', 'old', '--yes'],
        ['agent', 'install', 'old', '--yes', '--trust-policy', join(here.cwd, 'home/trust-policy.toml')],
        ['agent', 'list'],
        ['agent', 'verify', 'mini'],
        ['key', 'list'],
        ['key', 'generate', 'a', '--no-passphrase'],
        ['trust', 'add', 'x', RELEASE.anchor],
        ['trust', 'list'],
        ['trust', 'reset', 'mini', '--to', '1.0.0'],
        ['agent', 'sign', 'old', '--key', 'release'],
      ]) {
        const { exit, said } = await at(link, here.cwd, ...args)
        assert.equal(exit, 3, `${args.join(' ')}: ${said}`)
        assert.match(said, /link of another user/, args.join(' '))
      }
      assert.deepEqual(snapshot(here.cwd), before)
    }
  })

  test('a policy that is named is led to by no link of another user', async () => {
    const { here } = await host('named')
    const [policy, home] = [join(here.cwd, 'policy'), join(here.cwd, 'home')]
    mkdirSync(policy)
    symlinkSync(join(home, 'trust-policy.toml'), join(policy, 'p.toml'))
    const verify = () =>
      at(home, here.cwd, 'agent', 'verify', 'new', '--trust-policy', join(policy, 'p.toml'))
    assert.match((await verify()).said, /"verdict":"trusted"/)
    chmodSync(policy, 0o1777)
    assert.match((await verify()).said, /"verdict":"trusted"/)
    lchownSync(join(policy, 'p.toml'), OTHER, OTHER)
    assert.match((await verify()).said, /it is a link of another user.*"verdict":"indeterminate"/)
  })
})
