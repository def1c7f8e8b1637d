// Which IP addresses are the public internet, and which have to be granted by name, or never are.
import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { addressFacts } from '../../src/policy/address.ts'
import { among, runs } from '../support/runs.ts'

/** First and last address of each block, by what may reach it. Neighbours of a block are listed where they are something else. */
const TABLE: Readonly<Record<ReturnType<typeof addressFacts>['reach'], readonly string[]>> = {
  public: [
    '1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0',
    '169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255',
    '192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 198.51.99.255 198.51.101.0',
    '203.0.112.255 203.0.114.0 223.255.255.255',
    '2000:: 2001:200:: 2001:db7:ffff:: 2001:db9:: 2003:: 2606:4700:4700::1111 3ffe:ffff:: 3fff:1000::',
    '64:ff9b::8.8.8.8 64:ff9b::101:101',
  ],
  literal: [
    '10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.0.0.1',
    '127.255.255.255 169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0',
    '192.0.0.255 192.0.2.0 192.0.2.255 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.0',
    '198.51.100.255 203.0.113.0 203.0.113.255 240.0.0.0 255.255.255.254',
    '::1 0:0:0:0:0:0:0:1 64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff 100:: 2001:1:: 2001:1ff:ffff::',
    '2001:db8:: 2001:db8:ffff:ffff:: 3fff:: 3fff:fff:: fc00:: fdff:ffff:: fe80:: fe80::1 fe80::1%eth0 febf::',
    'fec0:: feff:: 4000:: 1:: 1fff:: 5f00:: fbff:: fe00:: 64:ff9a:: 64:ff9b::1:0:0',
  ],
  never: [
    '0.0.0.0 0.0.0.1 0.255.255.255 192.88.99.0 192.88.99.255 224.0.0.0 239.255.255.255 255.255.255.255',
    ':: ::2 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1 64:ff9b::a00:1 64:ff9b::169.254.169.254 64:ff9b::0.0.0.0 64:ff9b::224.0.0.1',
    '2001:: 2001:0:ffff:: 2002:: 2002:7f00:1:: 2002:808:808:: 2002:ffff:ffff:: ff00:: ff02::1 ffff::',
    'localhost 127.1 0177.0.0.1 0x7f.0.0.1 2130706433 127.0.0.1.5 1.2.3.4%25 [::1] ::1::2 1:2:3 :::1 %eth0',
  ],
}

test('every block is what it is, from its first address to its last', () => {
  for (const [reach, lines] of Object.entries(TABLE)) {
    for (const address of lines.flatMap(line => line.split(' '))) {
      assert.equal(addressFacts(address).reach, reach, address)
    }
  }
  assert.equal(addressFacts('').reach, 'never')
  assert.equal(addressFacts('169.254.169.254').is, 'a link-local address')
  assert.equal(addressFacts('64:ff9b::10.0.0.1').is, 'a private address, translated by NAT64')
})

test('this machine is what a connection to it never leaves', () => {
  for (const address of [
    '127.0.0.0',
    '127.255.255.255',
    '0.0.0.0',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:0:0',
  ])
    assert.equal(addressFacts(address).isHere, true, address)
  // The last ones hold 127.0.0.1, and lead to a relay, a translator or nowhere.
  const others =
    '126.255.255.255 128.0.0.0 0.0.0.1 10.0.0.1 ::2 fe80::1 ::ffff:10.0.0.1 127.1 64:ff9b::7f00:1 2002:7f00:1:: ::7f00:1'
  for (const address of others.split(' ')) assert.equal(addressFacts(address).isHere, false, address)
})

test('nothing that holds an IPv4 address reaches further than that address', () => {
  fc.assert(
    fc.property(fc.ipV4(), address => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
      const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
      const inner = addressFacts(address).reach
      const nat64 = addressFacts(`64:ff9b::${groups}`).reach
      assert.equal(nat64, inner === 'public' ? 'public' : 'never')
      assert.equal(addressFacts(`64:ff9b::${address}`).reach, nat64)
      for (const holder of [
        `::ffff:${groups}`,
        `::ffff:${address}`,
        `::ffff:0:${groups}`,
        `2002:${groups}::`,
      ]) {
        assert.equal(addressFacts(holder).reach, 'never', holder)
      }
    }),
  )
})

test('every spelling of an IPv6 address is the same address', () => {
  const group = fc.integer({ min: 0, max: 0xffff })
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), groups => {
      const long = groups.map(value => value.toString(16).padStart(4, '0')).join(':')
      const short = new URL(`http://[${long}]/`).hostname.slice(1, -1)
      assert.deepEqual(addressFacts(short), addressFacts(long))
      assert.deepEqual(addressFacts(`${long.toUpperCase()}%1`), addressFacts(long))
    }),
  )
})

test('no text is taken for an address by mistake: Node reads the same', () => {
  const group = fc.oneof(
    fc.constantFrom('', '0', 'ffff', '12345', 'g', '1.2.3.4', '1.2.3.04', '256.1.1.1'),
    fc.integer({ min: 0, max: 0x1ffff }).map(value => value.toString(16)),
  )
  const v6 = fc.array(group, { maxLength: 9 }).map(groups => groups.join(':'))
  const v4 = fc.array(fc.constantFrom('0', '00', '9', '99', '255', '256', '1e1', '-1', '', ' 1'), {
    minLength: 3,
    maxLength: 5,
  })
  const zone = fc.constantFrom('', '%eth0', '%', '%a b', '%%', '%1%2')
  const texts = fc.oneof(
    fc.string(),
    v6,
    v4.map(octets => octets.join('.')),
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom('1.2.3.4::1', '1.2.3.4::', '::1.2.3.4:1', '1:2:3:4:5:6:7::1.2.3.4'),
  )
  let addresses = 0
  fc.assert(
    fc.property(texts, zone, (text, end) => {
      const isAddress = addressFacts(`${text}${end}`).is !== 'no IP address'
      if (isAddress) addresses++
      assert.equal(isAddress, isIP(`${text}${end}`) !== 0, `${text}${end}`)
    }),
    { numRuns: runs(2000) },
  )
  assert.ok(addresses > among(100, 2000))
})
