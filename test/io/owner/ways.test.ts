// The ways of one judgement: each folder is looked at once, nothing that was refused before is let through, and the next judgement sees what has
// changed.
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
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { refuseForeignWay } from '../../../src/io/owner/owner.ts'
import { readOwn } from '../../../src/io/owner/read-own.ts'
import { Ways } from '../../../src/io/owner/ways.ts'
import { readPrivate } from '../../../src/io/read/read-private.ts'
import { RlpError } from '../../../src/model/error.ts'
import { fileCalls } from '../../support/file-calls.ts'
import { temporary } from '../../support/folder.ts'
import { IS_ROOT } from '../../support/run.ts'

const folder = temporary('ways')
const OTHER = 12345
const AS_ROOT = { skip: IS_ROOT ? false : 'only root can give files away' }

/** A home with two files, below a folder of its own. */
function homeIn(name: string): { base: string; home: string; one: string; two: string } {
  const base = folder(name)
  const home = join(base, 'way/home')
  mkdirSync(join(home, 'below'), { recursive: true })
  const [one, two] = [join(home, 'one'), join(home, 'below/two')]
  writeFileSync(one, 'one', { mode: 0o600 })
  writeFileSync(two, 'two', { mode: 0o600 })
  return { base, home, one, two }
}

async function textAt(path: string, ways: Ways, home?: string): Promise<string | undefined> {
  const bytes = await readOwn(path, ways, { home })
  return bytes && Buffer.from(bytes).toString()
}

async function refusal(path: string, ways: Ways, home?: string): Promise<object | undefined> {
  try {
    await readOwn(path, ways, { home })
    return undefined
  } catch (error) {
    assert.ok(error instanceof RlpError)
    return { code: error.code, message: error.message, hint: error.hint }
  }
}

const looks = (calls: readonly string[], path: string) =>
  calls.filter(call => call === `lstatSync ${path}` || call === `statSync ${path}`).length

const NO_USERS = { skip: process.getuid === undefined ? 'no owners here' : false }

describe('in one judgement', NO_USERS, () => {
  test('each folder on a way is looked at once, and each file before it is opened', async () => {
    const { base, home, one, two } = homeIn('once')
    const read = (first: Ways, second: Ways) =>
      fileCalls(async () => {
        assert.deepEqual([await textAt(one, first, home), await textAt(two, second, home)], ['one', 'two'])
      })
    const ways = new Ways()
    const [together, apart] = [await read(ways, ways), await read(new Ways(), new Ways())]
    for (const path of ['/', dirname(base), base, join(base, 'way'), home]) {
      assert.equal(looks(together, path), 1, path)
      assert.equal(looks(apart, path), 2, path)
    }
    for (const path of [one, two]) {
      const at = together.indexOf(`lstatSync ${path}`)
      assert.ok(at !== -1 && together.indexOf(`openSync ${path}`) > at, path)
    }
    const again = await fileCalls(() => textAt(one, ways, home))
    assert.deepEqual(
      again.map(call => call.split(' ')[0]),
      ['lstatSync', 'openSync', 'fstatSync', 'readSync', 'closeSync'],
    )
  })

  test('what is below a missing folder is not looked for', async () => {
    const { home } = homeIn('missing')
    const ways = new Ways()
    const gone = join(home, 'gone')
    const calls = await fileCalls(async () => {
      for (const name of ['a', 'b/c', 'b/d'])
        assert.equal(await textAt(join(gone, name), ways, home), undefined)
      assert.equal(ways.file(join(gone, 'e/f')), undefined)
    })
    assert.deepEqual([looks(calls, gone), calls.filter(call => call.includes(`${gone}/`))], [1, []])
    // Made since: a judgement of now finds it.
    mkdirSync(gone)
    writeFileSync(join(gone, 'a'), 'made', { mode: 0o600 })
    assert.equal(await textAt(join(gone, 'a'), ways, home), undefined)
    assert.equal(await textAt(join(gone, 'a'), new Ways(), home), 'made')
  })

  test('a link on the way is followed once, as it was when its owner was checked', async () => {
    const { base, home, one } = homeIn('followed')
    const link = join(base, 'link')
    symlinkSync(home, link)
    const ways = new Ways()
    const calls = await fileCalls(async () => {
      for (const path of [join(link, 'one'), join(link, 'below/two'), one])
        assert.notEqual(await textAt(path, ways, link === dirname(path) ? link : undefined), undefined)
    })
    assert.equal(looks(calls, link), 1)
    assert.equal(calls.filter(call => call === `readlinkSync ${link}`).length, 1)
  })

  test('the state is led to by the way that the policy had', async () => {
    const { home, one } = homeIn('state')
    mkdirSync(join(home, 'state'))
    writeFileSync(join(home, 'state/a'), 'state', { mode: 0o600 })
    const ways = new Ways()
    const calls = await fileCalls(async () => {
      assert.equal(await textAt(one, ways, home), 'one')
      const bytes = await readPrivate(join(home, 'state/a'), [home, join(home, 'state')], 100, ways)
      assert.equal(Buffer.from(bytes ?? []).toString(), 'state')
    })
    assert.equal(looks(calls, home), 1)
  })
})

describe('what was seen before refuses as a new look does', AS_ROOT, () => {
  /** The file can be read where only links count, so that all folders are known; then they count. */
  async function seen(
    file: string,
    home: string,
  ): Promise<{ known?: object | undefined; anew?: object | undefined }> {
    const ways = new Ways()
    assert.notEqual(await textAt(file, ways), undefined)
    return { known: await refusal(file, ways, home), anew: await refusal(file, new Ways(), home) }
  }

  test('a folder of another user on the way, and the home itself', async () => {
    for (const which of ['way', 'way/home']) {
      const { base, home, two } = homeIn('foreign')
      assert.deepEqual(await seen(two, home), { known: undefined, anew: undefined })
      chownSync(join(base, which), OTHER, OTHER)
      const { known, anew } = await seen(two, home)
      assert.match(JSON.stringify(anew), /NO_PERMISSION.*belongs to another user/)
      assert.deepEqual(known, anew)
    }
  })

  test('a folder that others may write, unless it is sticky', async () => {
    for (const which of ['way', 'way/home'])
      for (const mode of [0o1777, 0o775, 0o757]) {
        const { base, home, two } = homeIn('loose')
        assert.deepEqual(await seen(two, home), { known: undefined, anew: undefined })
        chmodSync(join(base, which), mode)
        const ways = new Ways()
        assert.equal(await textAt(two, ways), 'two')
        // Also where the file is missing: that others may have removed it.
        for (const path of [two, join(home, 'below/gone')]) {
          const [known, anew] = [await refusal(path, ways, home), await refusal(path, new Ways(), home)]
          if (mode === 0o1777) assert.equal(anew, undefined)
          else assert.match(JSON.stringify(anew), /NO_PERMISSION.*others may write/)
          assert.deepEqual(known, anew)
        }
      }
  })

  test('a link of another user', async () => {
    const { base, home } = homeIn('link')
    const link = join(base, 'link')
    symlinkSync(home, link)
    assert.equal(await refusal(join(link, 'one'), new Ways()), undefined)
    lchownSync(link, OTHER, OTHER)
    const ways = new Ways()
    const first = await refusal(join(link, 'one'), ways)
    assert.match(JSON.stringify(first), /on the way, .*link.* is a link of another user/)
    for (const path of ['one', 'below/two', 'gone']) {
      const [known, anew] = [
        await refusal(join(link, path), ways, link),
        await refusal(join(link, path), new Ways(), link),
      ]
      assert.match(JSON.stringify(anew), /: it is a link of another user/)
      assert.deepEqual(known, anew)
    }
  })

  test('a circle of links', async () => {
    const { base, home, one } = homeIn('circle')
    const [link, other] = [join(base, 'link'), join(base, 'other')]
    symlinkSync(home, other)
    symlinkSync('other', link)
    assert.equal(await textAt(join(link, 'one'), new Ways()), 'one')
    rmSync(other)
    symlinkSync('link', other)
    const ways = new Ways()
    for (const path of [join(link, 'one'), link]) {
      const anew = await refusal(path, new Ways())
      assert.match(JSON.stringify(anew), /WRONG_FILE_TYPE/)
      for (const _ of [1, 2]) assert.deepEqual(await refusal(path, ways), anew)
    }
    assert.equal(refuseForeignWay(link, ways), undefined)
    assert.equal(await textAt(one, ways), 'one')
    await assert.rejects(readPrivate(join(link, 'a'), [link], 100, ways), { code: 'WRONG_FILE_TYPE' })
  })
})

describe('a judgement after a change sees it', AS_ROOT, () => {
  test('of a folder', async () => {
    const { base, home, one } = homeIn('changed')
    assert.equal(await refusal(one, new Ways(), home), undefined)
    chmodSync(join(base, 'way'), 0o777)
    assert.match(JSON.stringify(await refusal(one, new Ways(), home)), /others may write .*way/)
    chmodSync(join(base, 'way'), 0o755)
    assert.equal(await refusal(one, new Ways(), home), undefined)
  })

  test('of where a link leads, and of whose it is', async () => {
    const { base, home } = homeIn('led')
    const [link, elsewhere] = [join(base, 'link'), join(base, 'elsewhere')]
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, 'one'), 'other', { mode: 0o600 })
    symlinkSync(home, link)
    assert.equal(await textAt(join(link, 'one'), new Ways(), link), 'one')
    rmSync(link)
    symlinkSync(elsewhere, link)
    assert.equal(await textAt(join(link, 'one'), new Ways(), link), 'other')
    chownSync(elsewhere, OTHER, OTHER)
    assert.match(
      JSON.stringify(await refusal(join(link, 'one'), new Ways(), link)),
      /belongs to another user/,
    )
    rmSync(link)
    symlinkSync(home, link)
    lchownSync(link, OTHER, OTHER)
    assert.match(
      JSON.stringify(await refusal(join(link, 'one'), new Ways(), link)),
      /is a link of another user/,
    )
  })
})

describe('a file is judged by what is opened', AS_ROOT, () => {
  test('although its folders were seen before', async () => {
    const { home, one } = homeIn('opened')
    const ways = new Ways()
    assert.equal(await textAt(one, ways, home), 'one')
    chownSync(one, OTHER, OTHER)
    assert.match(JSON.stringify(await refusal(one, ways, home)), /belongs to another user/)
    rmSync(one)
    assert.equal(await textAt(one, ways, home), undefined)
  })

  test('and by whose link is in its place now', async () => {
    const { home, one, two } = homeIn('replaced')
    const ways = new Ways()
    assert.equal(await textAt(one, ways, home), 'one')
    renameSync(one, `${one}.away`)
    symlinkSync(two, one)
    assert.equal(await textAt(one, ways, home), 'two')
    lchownSync(one, OTHER, OTHER)
    assert.match(JSON.stringify(await refusal(one, ways, home)), /one.*: it is a link of another user/)
  })

  test('also where a link leads', async () => {
    const { base, home, one, two } = homeIn('target')
    const link = join(base, 'link')
    symlinkSync(one, link)
    const ways = new Ways()
    assert.equal(await textAt(link, ways), 'one')
    rmSync(one)
    symlinkSync(two, one)
    assert.equal(await textAt(link, ways), 'two')
    rmSync(one)
    symlinkSync(two, one)
    lchownSync(one, OTHER, OTHER)
    assert.match(
      JSON.stringify(await refusal(link, new Ways(), base)),
      /on the way, .*one.* is a link of another/,
    )
    rmSync(one)
    writeFileSync(one, 'one', { mode: 0o600 })
    const later = new Ways()
    assert.equal(await textAt(link, later), 'one')
    rmSync(one)
    symlinkSync(two, one)
    lchownSync(one, OTHER, OTHER)
    assert.match(JSON.stringify(await refusal(link, later)), /on the way, .*one.* is a link of another/)
    assert.equal(await textAt(two, later, home), 'two')
  })

  test('where the way leads elsewhere since', async () => {
    const { base, home } = homeIn('swapped')
    const [link, elsewhere] = [join(base, 'link'), join(base, 'elsewhere')]
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, 'one'), 'other', { mode: 0o600 })
    chownSync(join(elsewhere, 'one'), OTHER, OTHER)
    symlinkSync(home, link)
    const ways = new Ways()
    assert.equal(await textAt(join(link, 'one'), ways), 'one')
    rmSync(link)
    symlinkSync(elsewhere, link)
    assert.match(JSON.stringify(await refusal(join(link, 'one'), ways)), /belongs to another user/)
    chownSync(join(elsewhere, 'one'), 0, 0)
    chownSync(elsewhere, OTHER, OTHER)
    assert.match(JSON.stringify(await refusal(join(link, 'one'), ways)), /belongs to another user/)
  })
})

describe('a path with a slash at its end', AS_ROOT, () => {
  test('is no way around the owner of a link', async () => {
    const { base, home } = homeIn('slash')
    const link = join(base, 'link')
    symlinkSync(home, link)
    assert.match(JSON.stringify(await refusal(`${link}/`, new Ways())), /not a regular file/)
    lchownSync(link, OTHER, OTHER)
    for (const path of [`${link}/`, `${base}/way/../link`, `${base}//link`])
      assert.match(JSON.stringify(await refusal(path, new Ways())), /is a link of another user/)
  })
})

describe('on a system without users', () => {
  test('a file and the state are read, and no way is walked', async () => {
    const { home, one } = homeIn('no-users')
    mkdirSync(join(home, 'state'))
    writeFileSync(join(home, 'state/a'), 'state')
    const getuid = Object.getOwnPropertyDescriptor(process, 'getuid')
    Object.defineProperty(process, 'getuid', { value: undefined, configurable: true, writable: true })
    try {
      const ways = new Ways()
      const calls = await fileCalls(async () => {
        assert.equal(await textAt(one, ways, home), 'one')
        assert.equal(await textAt(join(home, 'gone'), ways, home), undefined)
        const folders = [home, join(home, 'state')]
        assert.equal((await readPrivate(join(home, 'state/a'), folders, 100, ways))?.length, 5)
        assert.equal(await readPrivate(join(home, 'gone/a'), [join(home, 'gone')], 100, ways), undefined)
      })
      assert.equal(looks(calls, dirname(home)), 0)
    } finally {
      if (getuid !== undefined) Object.defineProperty(process, 'getuid', getuid)
    }
  })
})

describe('a look that failed is not remembered', NO_USERS, () => {
  /** Root may look everywhere; another user may not. */
  function unprivileged<T>(work: () => T): T {
    if (!IS_ROOT) return work()
    process.seteuid?.(OTHER)
    try {
      return work()
    } finally {
      process.seteuid?.(0)
    }
  }

  test('in a folder that may not be looked into', async () => {
    const { base, home, one } = homeIn('closed')
    const ways = new Ways()
    assert.equal(ways.file(one)?.kind, 'other')
    chmodSync(home, 0o000)
    try {
      for (const look of [
        () => ways.file(one),
        () => ways.at(one),
        () => new Ways().file(join(home, 'gone')),
      ])
        assert.throws(() => unprivileged(look), { code: 'NO_PERMISSION', message: /permission denied/ })
    } finally {
      chmodSync(home, 0o700)
    }
    assert.deepEqual([ways.file(one)?.kind, ways.at(one)?.kind], ['other', 'other'])
    assert.equal(await textAt(one, ways, home), 'one')
    assert.equal(ways.at(base)?.kind, 'folder')
  })

  test('below a circle of links, and of a name that is too long', () => {
    const { base, home, one } = homeIn('failed')
    const ways = new Ways()
    assert.equal(ways.file(one)?.kind, 'other')
    const circle = join(base, 'circle')
    symlinkSync('circle', circle)
    assert.throws(() => ways.file(join(circle, 'one')), { code: 'WRONG_FILE_TYPE' })
    rmSync(circle)
    symlinkSync(home, circle)
    assert.equal(ways.file(join(circle, 'one'))?.kind, 'other')
    for (const _ of [1, 2]) assert.throws(() => ways.file(join(home, 'a'.repeat(300))), { code: 'USAGE' })
  })
})

test('a link that goes up again leads to where the system goes', NO_USERS, async () => {
  const base = folder('up-again')
  mkdirSync(join(base, 'real/inner'), { recursive: true })
  mkdirSync(join(base, 'decoy'))
  symlinkSync(join(base, 'real/inner'), join(base, 'decoy/x'))
  // By its text this is `decoy`, and for the system it is `real`.
  symlinkSync('decoy/./x//..', join(base, 'home'))
  writeFileSync(join(base, 'real/one'), 'one', { mode: 0o600 })
  const home = join(base, 'home')
  const read = async () => {
    const [own, marks] = [join(home, 'one'), [home]]
    return [await textAt(own, new Ways(), home), (await readPrivate(own, marks, 100, new Ways()))?.length]
  }
  assert.deepEqual(await read(), ['one', 3])
  chmodSync(join(base, 'real'), 0o777)
  await assert.rejects(readPrivate(join(home, 'one'), [home], 100, new Ways()), /others may write/)
  assert.ok(await refusal(join(home, 'one'), new Ways(), home))
})
