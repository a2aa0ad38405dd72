package manifest

// knownVersions are the schema versions, and whether they are 2.0 or later: resource ids stand in
// the manifest.
var knownVersions = map[string]bool{"1.0": false, "1.1": false, "2.0": true}

// isTwo reads the schemaVersion: without one the oldest rules hold, with an
// unknown one the newest.
func (r *reader) isTwo(t token) bool {
	a := find(t, "schemaVersion")
	if a == nil {
		r.warn(t.at, finding{RuleVersion, "counters has no schemaVersion", `read as "1.0"; write 2.0 if nameID and descriptionID are given, 1.1 if not`})
		return false
	}
	r.file.SchemaVersion = a.value
	two, ok := knownVersions[a.value]
	if !ok {
		r.warn(a.valueAt, finding{RuleVersion, "schemaVersion " + quote(a.value) + " is unknown", "known are 1.0, 1.1 and 2.0; the rules of 2.0 are used"})
		return true
	}
	return two
}

// want is how much an element wants the attributes that schemaVersion 2.0
// requires.
type want uint8

const (
	wantNone   want = iota
	wantSpoken      // a warning tells that they are absent
	wantAll
)

// checkVersion looks at the attributes that schemaVersion 2.0 brought.
func (r *reader) checkVersion(t token, element string, w want, names ...string) {
	for _, name := range names {
		a := find(t, name)
		switch {
		case a == nil && r.two && w == wantSpoken:
			r.warn(t.at, finding{RuleRequired, element + " has no " + name, "schemaVersion 2.0 requires it"})
		case a == nil && r.two && w == wantAll:
			r.missing(t, element, name, "schemaVersion 2.0 requires it")
		case a != nil && !r.two && isResourceID(name):
			r.warn(a.at, finding{RuleVersioned, name + " is not allowed before schemaVersion 2.0", `remove it, or write schemaVersion="2.0"`})
		}
	}
}

func isResourceID(name string) bool { return name == "nameID" || name == "descriptionID" }
