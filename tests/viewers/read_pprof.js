// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * Print the sums of a profile by event and sampled function, as JSON: [[e, f,
 * n], ...]
 */
'use strict'
const fs = require('fs')
const zlib = require('zlib')
const { Profile } = require('pprof-format')

const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(process.argv[2])))
const text = (number) => profile.stringTable.strings[Number(number)]
const byId = (list) => new Map(list.map((item) => [item.id, item]))
const locations = byId(profile.location)
const functions = byId(profile.function)
const found = []
for (const sample of profile.sample) {
  const line = locations.get(sample.locationId[0]).line[0]
  const name = text(functions.get(line.functionId).name)
  sample.value.forEach((value, at) => {
    if (Number(value)) found.push([text(profile.sampleType[at].type), name, Number(value)])
  })
}
console.log(JSON.stringify(found))
