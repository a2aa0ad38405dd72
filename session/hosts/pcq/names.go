package pcq

import (
	"context"
	"fmt"
	"strings"

	"perfdeck/session"
	"perfdeck/session/wire/perflib"
)

// names are the texts of one counterset: English ones, which are the keys of
// paths, and labels in the wanted language.
type names struct {
	name, label string
	description string
	provider    string
	english     map[uint32]string // names of counters
	labels      map[uint32]string
	helps       map[uint32]string
	notes       []string // what is wrong with them
	known       *session.Counterset
}

// counter is the name of a counter: the English one, the one that is known, or
// its number. Bases have no names as a rule.
func (n *names) counter(id uint32) string {
	if name := n.english[id]; name != "" {
		return name
	}
	if n.known != nil {
		if c := counterOf(n.known, id); c != nil && c.Name != "" {
			return c.Name
		}
	}
	return fmt.Sprintf("counter %d", id)
}

// noted is the description, with what is wrong with the texts.
func (n *names) noted() string {
	text := n.description
	for _, note := range n.notes {
		text = strings.TrimSpace(text + "\n(" + note + ")")
	}
	return text
}

// englishName reads the key of the set: code 9, then 3, which is English on most hosts.
func (r *catalogueReader) englishName(ctx context.Context, g perflib.GUID, n *names) error {
	name, why, err := r.text(ctx, g, perflib.EnglishName, 0)
	if err == nil && why != nil {
		var other error
		if name, other, err = r.text(ctx, g, perflib.CountersetName, 0); other != nil {
			name = r.knownName(g)
			n.notes = append(n.notes, "the host gave no name: "+reason(why))
		}
	}
	n.name = name
	return err
}

// counterNames reads those of its counters: code 10, then 5.
func (r *catalogueReader) counterNames(ctx context.Context, g perflib.GUID, n *names) error {
	table, why, err := r.strings(ctx, g, perflib.EnglishCounterNames, 0)
	if err == nil && len(table) == 0 && why != nil {
		var other error
		if table, other, err = r.strings(ctx, g, perflib.CounterNames, 0); len(table) == 0 && other != nil {
			n.notes = append(n.notes, "the host gave no names of counters: "+reason(why))
		}
	}
	n.english = table
	return err
}

// knownName is the name of a set for which the host has none.
func (r *catalogueReader) knownName(g perflib.GUID) string {
	if set := r.known[g]; set != nil && set.Name != "" {
		return set.Name
	}
	return g.String()
}

// localNames reads labels and descriptions in the wanted language, or else in
// the host's.
func (r *catalogueReader) localNames(ctx context.Context, g perflib.GUID, n *names) error {
	lcid := r.o.LCID
	if perflib.IsEnglish(lcid) && n.name != "" && len(n.english) > 0 {
		return r.descriptions(ctx, g, n, lcid) // the names would be the same
	}
	label, why, err := r.text(ctx, g, perflib.CountersetName, lcid)
	if err == nil && why != nil && lcid != 0 {
		n.notes = append(n.notes, fmt.Sprintf("the host gave no names in language 0x%04X: %s", lcid, reason(why)))
		lcid = 0
		label, why, err = r.text(ctx, g, perflib.CountersetName, 0)
	}
	if err != nil {
		return err
	}
	if why == nil && label != n.name {
		n.label = label
	}
	if n.labels, err = r.inLanguage(ctx, g, perflib.CounterNames, lcid); err != nil {
		return err
	}
	return r.descriptions(ctx, g, n, lcid)
}

// descriptions reads the texts that explain the set and its counters.
func (r *catalogueReader) descriptions(ctx context.Context, g perflib.GUID, n *names, lcid uint32) (err error) {
	if n.helps, err = r.inLanguage(ctx, g, perflib.CounterHelps, lcid); err != nil {
		return err
	}
	var why error
	n.description, why, err = r.text(ctx, g, perflib.CountersetHelp, lcid)
	if err == nil && why != nil && lcid != 0 {
		n.description, _, err = r.text(ctx, g, perflib.CountersetHelp, 0)
	}
	return err
}

// inLanguage reads a table in a language, or else in the host's.
func (r *catalogueReader) inLanguage(ctx context.Context, g perflib.GUID, code perflib.RequestCode, lcid uint32) (map[uint32]string, error) {
	table, why, err := r.strings(ctx, g, code, lcid)
	if err == nil && why != nil && len(table) == 0 && lcid != 0 {
		table, _, err = r.strings(ctx, g, code, 0)
	}
	return table, err
}

// provider reads the name of the provider, or its GUID.
func (r *catalogueReader) provider(ctx context.Context, g perflib.GUID, n *names) error {
	name, why, err := r.text(ctx, g, perflib.ProviderName, 0)
	if err == nil && why != nil {
		name, err = r.providerGUID(ctx, g)
	}
	n.provider = name
	return err
}

// LCIDOf gives the language identifier (MS-LCID 2.2) of a locale as LANG has it
// ("de_DE.UTF-8") or a culture's name ("de-DE"). An unknown region gives the
// language's main one; ok is false for a language that is not in the table, and
// for C and POSIX.
func LCIDOf(locale string) (lcid uint32, ok bool) {
	locale, _, _ = strings.Cut(locale, ".")
	locale, _, _ = strings.Cut(locale, "@")
	locale = strings.ToLower(strings.ReplaceAll(locale, "_", "-"))
	if lcid, ok = lcids[locale]; ok {
		return lcid, true
	}
	language, _, _ := strings.Cut(locale, "-")
	lcid, ok = lcids[language]
	return lcid, ok
}

// lcids are the languages that Windows is offered in (MS-LCID 2.2).
var lcids = map[string]uint32{
	"ar": 0x0401, "bg": 0x0402, "cs": 0x0405, "da": 0x0406, "de": 0x0407, "el": 0x0408,
	"en": 0x0409, "es": 0x0C0A, "et": 0x0425, "fi": 0x040B, "fr": 0x040C, "he": 0x040D,
	"hr": 0x041A, "hu": 0x040E, "it": 0x0410, "ja": 0x0411, "ko": 0x0412, "lt": 0x0427,
	"lv": 0x0426, "nb": 0x0414, "nl": 0x0413, "no": 0x0414, "pl": 0x0415, "pt": 0x0416,
	"ro": 0x0418, "ru": 0x0419, "sk": 0x041B, "sl": 0x0424, "sv": 0x041D, "th": 0x041E,
	"tr": 0x041F, "uk": 0x0422, "zh": 0x0804,
	"en-gb": 0x0809, "es-mx": 0x080A, "fr-ca": 0x0C0C, "pt-pt": 0x0816, "sr-latn-rs": 0x241A,
	"zh-hk": 0x0C04, "zh-tw": 0x0404,
}
