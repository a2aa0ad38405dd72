package manifest

// version is what a schemaVersion changes.
type version struct {
	two bool // 2.0 and later: resource ids stand in the manifest
}

// knownVersions are the schema versions, with the rules they have.
var knownVersions = map[string]version{"1.0": {}, "1.1": {}, "2.0": {two: true}}

// version reads the schemaVersion: without one the oldest rules hold, with an
// unknown one the newest.
func (r *reader) version(t token) version {
	a := find(t, "schemaVersion")
	if a == nil {
		r.warn(t.at, finding{RuleVersion, "counters has no schemaVersion", `read as "1.0"; write 2.0 if nameID and descriptionID are given, 1.1 if not`})
		return version{}
	}
	r.file.SchemaVersion = a.value
	v, ok := knownVersions[a.value]
	if !ok {
		r.warn(a.valueAt, finding{RuleVersion, "schemaVersion " + quote(a.value) + " is unknown", "known are 1.0, 1.1 and 2.0; the rules of 2.0 are used"})
		return version{two: true}
	}
	return v
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
func (r *reader) checkVersion(t token, element string, v version, w want, names ...string) {
	for _, name := range names {
		a := find(t, name)
		switch {
		case a == nil && v.two && w == wantSpoken:
			r.warn(t.at, finding{RuleRequired, element + " has no " + name, "schemaVersion 2.0 requires it"})
		case a == nil && v.two && w == wantAll:
			r.missing(t, element, name, "schemaVersion 2.0 requires it")
		case a != nil && !v.two && isResourceID(name):
			r.warn(a.at, finding{RuleVersioned, name + " is not allowed before schemaVersion 2.0", `remove it, or write schemaVersion="2.0"`})
		}
	}
}

func isResourceID(name string) bool { return name == "nameID" || name == "descriptionID" }
