// What the commands of a channel call people: by the released policy, else by the fingerprint of their key; and what a rotation leaves in the policy.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { channelRotate, channelStatus } from '../../src/library/generated/trust.ts'
import { fingerprintOfAnchor } from '../../src/signature/ssh.ts'
import { BEAT, INIT, PEOPLE, type Publishing, publishing, STRANGER } from '../support/channel-world.ts'
import { temporary } from '../support/folder.ts'
import { LATE } from '../support/runs.ts'

const folder = temporary('people')
const { ada, alan, grace } = PEOPLE
const printed = (key: string) => `${key} (${fingerprintOfAnchor(key)})`

/** A policy that names people of the channel. `more` is put at the end. */
function named(people: Readonly<Record<string, string>>, more = ''): string {
  const anchors = Object.entries(people).map(([name, key]) => `${name} = "${key}"`)
  return `[anchors]\n${anchors.join('\n')}\n${more}`
}

const ALL = { ada: ada.anchor, alan: alan.anchor, grace: grace.anchor }
const OFFICERS = '[groups]\nofficers = { of = ["ada", "alan", "grace"], at_least = 2 }\n'

/** A complete channel whose released policy is this one. */
async function released(name: string, policy: string): Promise<Publishing> {
  const here = publishing(folder(name))
  writeFileSync(join(here.cwd, 'policy.toml'), policy)
  await here.complete()
  return here
}

describe('people are named', () => {
  test('by their fingerprints before anything is released, whatever a draft calls them', async () => {
    const here = publishing(folder('first'))
    await here.good(...INIT)
    writeFileSync(join(here.cwd, 'policy.toml'), named({ alan: STRANGER.anchor, mallory: alan.anchor }))
    await here.good('release', 'house', 'policy.toml')
    const { stdout } = await here.say('status', 'house')
    for (const { anchor } of [ada, alan, grace, BEAT])
      assert.ok(stdout.includes(`  ${printed(anchor)}\n`), stdout)
    assert.doesNotMatch(stdout, /mallory/)
    const { stdout: signed } = await here.say('sign', 'house', '--key', 'ada', '--yes')
    assert.ok(signed.includes(` signed by ${printed(ada.anchor)}\n`), signed)
  })

  test('by the released policy, and by fingerprint if it does not know them', async () => {
    const here = await released('names', named({ ada: ada.anchor, alan: alan.anchor }))
    const { stdout } = await here.say('status', 'house')
    assert.ok(stdout.includes(`  ${ada.anchor} (ada)\n`), stdout)
    assert.ok(stdout.includes(`  ${alan.anchor} (alan)\n`), stdout)
    assert.ok(stdout.includes(`  ${printed(grace.anchor)}\n`), stdout)
    const { people } = await channelStatus('house', { cwd: here.cwd })
    const names = new Map([ada, alan].map(({ anchor }, index) => [anchor, ['ada', 'alan'][index]]))
    const keys = [...[ada, alan, grace].map(({ anchor }) => anchor).sort(), BEAT.anchor]
    assert.deepEqual(
      people,
      keys.map(key => ({ key, name: names.get(key) ?? null, fingerprint: fingerprintOfAnchor(key) })),
    )
  })

  test('never by a draft that calls a key by another name', async () => {
    const here = await released('draft', named(ALL))
    writeFileSync(join(here.cwd, 'evil.toml'), named({ ada: STRANGER.anchor, someone: ada.anchor }))
    await here.good('release', 'house', 'evil.toml')
    await here.good('rotate', 'house', '--add-key', STRANGER.anchor)
    const { stdout, stderr } = await here.say('sign', 'house', '--key', 'alan')
    const said = stdout + stderr
    assert.ok(said.includes(`speaks from now on: ${printed(STRANGER.anchor)}`), said)
    assert.ok(said.includes(`  ${ada.anchor} (ada)\n`), said)
    assert.doesNotMatch(said, /\(someone\)/)
  })

  test('in refusals too', { skip: LATE }, async () => {
    const here = await released('refusals', named(ALL))
    await here.good('release', 'house', 'more.toml')
    await here.good('sign', 'house', '--key', 'ada', '--yes')
    const again = await here.bad('sign', 'house', '--key', 'ada', '--yes')
    assert.ok(again.says.includes(`with ${ada.anchor} (ada): it has signed already`), again.says)
    const beat = await here.bad('sign', 'house', '--key', 'beat', '--yes')
    assert.ok(beat.says.includes(`with ${printed(BEAT.anchor)}: it is `), beat.says)
    const no = await here.bad('heartbeat', 'house', '--key', 'grace')
    assert.ok(no.says.includes(`with ${grace.anchor} (grace): it is no key of heartbeats`), no.says)
  })
})

describe('a rotation that leaves a removed person in the policy says so', () => {
  const GROUP = 'grace speaks no longer for the channel, and is still in the group officers of the policy. '

  test('before it is signed, in every command that shows the draft, and in the library', async () => {
    const here = await released('group', named(ALL, OFFICERS))
    const kept = await here.good('rotate', 'house')
    assert.deepEqual(kept.warnings, [], 'control: everybody stays')
    const { warnings } = await here.good('rotate', 'house', '--remove-key', grace.anchor)
    assert.deepEqual(
      warnings.map((one: string) => one.startsWith(GROUP)),
      [false, true],
      'that another draft is gone, and this',
    )
    assert.ok((await here.good('status', 'house')).warnings[0].startsWith(GROUP))
    const { stderr } = await here.say('sign', 'house', '--key', 'ada')
    assert.ok(stderr.replaceAll(/\s+/g, ' ').includes(GROUP), stderr)
    const rotated = await channelRotate('house', { cwd: here.cwd, removeKeys: [grace.anchor] })
    assert.ok(rotated.warnings.at(-1)?.startsWith(GROUP), rotated.warnings.at(-1))
  })

  for (const [what, policy, says] of [
    ['a signer of no group', named(ALL), 'is still a signer of the policy'],
    [
      'two groups',
      named(ALL, `${OFFICERS}review = { of = ["grace", "ada"], at_least = 1 }\n`),
      'is still in the groups officers, review of the policy',
    ],
  ] as const)
    test(what, async () => {
      const here = await released(what.replaceAll(' ', '-'), policy)
      const { warnings } = await here.good('rotate', 'house', '--remove-key', grace.anchor)
      assert.equal(warnings.length, 1, warnings.join('\n'))
      assert.ok(warnings[0].includes(`grace speaks no longer for the channel, and ${says}. `), warnings[0])
    })

  test('and says nothing once the policy is drafted without them, or has revoked the key', {
    skip: LATE,
  }, async () => {
    for (const [index, next] of [
      named({ ada: ada.anchor, alan: alan.anchor }),
      named(ALL, `${OFFICERS}[revoked]\n"${grace.anchor}" = { reason = "left" }\n`),
    ].entries()) {
      const here = await released(`after-${index}`, named(ALL, OFFICERS))
      assert.equal((await here.good('rotate', 'house', '--remove-key', grace.anchor)).warnings.length, 1)
      writeFileSync(join(here.cwd, 'next.toml'), next)
      assert.deepEqual((await here.good('release', 'house', 'next.toml')).warnings, [])
    }
  })

  test('nor of a person who has another key from now on', { skip: LATE }, async () => {
    const more = named({ ...ALL, grace: '' }).replace(
      'grace = ""',
      `grace = { keys = ["${grace.anchor}", "${STRANGER.anchor}"] }`,
    )
    const here = await released('another-key', more)
    const { warnings } = await here.good(
      ...['rotate', 'house', '--remove-key', grace.anchor, '--add-key', STRANGER.anchor],
    )
    assert.deepEqual(warnings, [])
  })
})

describe('push says what is complete', () => {
  test('a draft that lacks signatures is stored as a draft', async () => {
    const here = await released('push-draft', named(ALL))
    await here.good('push', 'house', 'oci-layout:there')
    await here.good('rotate', 'house', '--remove-key', grace.anchor)
    const { stdout } = await here.say('push', 'house', 'oci-layout:there')
    assert.match(stdout, /^✓ oci-layout:there: the drafts are stored$/m)
  })

  test('a root with all its signatures is complete, and waits for a heartbeat', async () => {
    const here = await released('push-root', named(ALL))
    await here.good('push', 'house', 'oci-layout:there')
    await here.good('rotate', 'house', '--remove-key', grace.anchor)
    await here.good('sign', 'house', '--key', 'ada', '--yes')
    await here.good('sign', 'house', '--key', 'alan', '--yes')
    const { stdout } = await here.say('push', 'house', 'oci-layout:there')
    assert.match(
      stdout,
      /^✓ oci-layout:there: root 2 is complete and stored\nroot 2 waits for a heartbeat there$/m,
    )
  })

  test('a complete root beside a release that lacks signatures', { skip: LATE }, async () => {
    const here = await released('push-both', named(ALL))
    await here.good('push', 'house', 'oci-layout:there')
    await here.good('rotate', 'house', '--remove-key', grace.anchor)
    await here.good('sign', 'house', '--key', 'ada', '--yes')
    await here.good('sign', 'house', '--key', 'alan', '--yes')
    await here.good('release', 'house', 'more.toml')
    const { stdout } = await here.say('push', 'house', 'oci-layout:there')
    assert.match(stdout, /root 2 is complete and stored, and so is the draft of release 2$/m)
  })
})
