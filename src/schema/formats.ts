// The names that `format` can have, and the ones that people write instead.
import { plainName, probablyMeant } from '../text/did-you-mean.ts'

/** JSON Schema 2020-12, Validation, 7.3. */
const JSON_SCHEMA =
  'date-time date time duration email idn-email hostname idn-hostname ipv4 ipv6 uri uri-reference iri iri-reference uuid uri-template json-pointer relative-json-pointer regex'.split(
    ' ',
  )
/** The registry of formats of OpenAPI, and those of the older drafts, which readers still know. */
const ELSEWHERE =
  'base64url binary byte char color commonmark date-time-local decimal decimal128 double double-int float host-name html http-date int16 int32 int64 int8 ip-address iso-date-time iso-time media-range password phone sf-binary sf-boolean sf-decimal sf-integer sf-string sf-token style time-local uint16 uint32 uint64 uint8 unixtime utc-millisec'.split(
    ' ',
  )
/** In small letters, without hyphens and their like. */
const MEANINGS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'date-time':
      'datetime datetimetz timestamp timestamptz iso8601 iso8601datetime isodatetime isotimestamp rfc3339 rfc3339datetime utcdatetime',
    date: 'isodate fulldate localdate yyyymmdd calendardate',
    time: 'isotime fulltime localtime hhmm hhmmss',
    duration: 'iso8601duration period timespan timedelta interval',
    email: 'mail emailaddress mailaddress',
    hostname: 'host domain fqdn domainname',
    ipv4: 'ip ipaddress ip4 ipv4address inet',
    ipv6: 'ip6 ipv6address',
    uri: 'url httpurl httpsurl httpuri weburl link href anyuri urlhttp',
    uuid: 'guid uuid4 uuidv4 uniqueid',
    regex: 'regexp pattern regularexpression',
    'json-pointer': 'jsonpointer pointer',
  }).flatMap(([format, names]) => names.split(' ').map(name => [name, format] as const)),
)
const KNOWN: ReadonlySet<string> = new Set([...JSON_SCHEMA, ...ELSEWHERE])

/** The format that a name was meant to be; undefined if it is a format, or resembles none. */
export function meantFormat(name: string): string | undefined {
  if (KNOWN.has(name)) return undefined
  return MEANINGS.get(plainName(name)) ?? probablyMeant(name, JSON_SCHEMA)
}
