// Package anonymous replaces names: those of hosts, users, domains, addresses, paths,
// processes and all else that tells whose recording it is. The same name, in any case of
// letters, is always replaced by the same word, as host-1, and no two names by the same.
//
// It goes by lists of what may stay, not of what has to go: names of countersets and
// counters of known catalogues, instances that are numbers, totals, devices or programs
// that are found everywhere, and in texts a vocabulary. All else is replaced.
//
// Names are first collected, then numbered by lot, so that their order tells nothing. What
// comes up later is numbered as it comes.
package anonymous

import (
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"perfdeck/paths"
)

// kind is what a name is a name of. Its word begins what stands in its place.
type kind string

const (
	ofHost     kind = "host"
	ofUser     kind = "user"
	ofDomain   kind = "domain"
	ofAddress  kind = "address"
	ofPath     kind = "path"
	ofProcess  kind = "process"
	ofDisk     kind = "disk"
	ofAdapter  kind = "interface"
	ofInstance kind = "instance"
	ofSet      kind = "set"
	ofCounter  kind = "counter"
	ofMail     kind = "mail"
	ofURL      kind = "url"
	ofSID      kind = "sid"
	ofGUID     kind = "guid"
	ofNumber   kind = "number"
	ofText     kind = "text"
	ofWord     kind = "word"
)

// Names replaces names. It is used by one goroutine at a time.
type Names struct {
	known   *known
	kinds   map[string]kind   // of all names, folded
	words   map[string]string // of those that have a number
	numbers map[kind]int      // that are given
	used    map[string]bool   // names whose word was asked for since Fix
	fixed   bool

	paths     map[string]string   // of counters, that texts may have, by their folded form
	phrases   map[string]bool     // names of several tokens, folded
	lengths   []int               // of paths and phrases in runes, descending
	forbidden []string            // what must stand nowhere, folded
	addresses map[netip.Addr]bool // of hosts, that texts may spell otherwise
}

// New is Names that know nothing yet.
func New() *Names {
	return &Names{
		known: load(), kinds: map[string]kind{}, words: map[string]string{}, numbers: map[kind]int{}, used: map[string]bool{},
		paths: map[string]string{}, phrases: map[string]bool{},
	}
}

// word is what stands in the place of a name. What a name is of is said by who comes
// first.
func (n *Names) word(k kind, name string) string {
	key := paths.Fold(name)
	if _, there := n.kinds[key]; !there {
		n.kinds[key] = k
	}
	if !n.fixed {
		return string(k) + "-0"
	}
	n.used[key] = true
	if n.words[key] == "" {
		n.number(key)
	}
	return n.words[key]
}

func (n *Names) number(key string) {
	k := n.kinds[key]
	n.numbers[k]++
	n.words[key] = string(k) + "-" + strconv.Itoa(n.numbers[k])
}

// Collect makes the names known that recordings have.
func (n *Names) Collect(counterPaths []string) {
	for _, text := range counterPaths {
		if p, err := paths.Parse(text); err == nil && p.Computer != "" {
			n.Host(p.Computer)
		}
	}
	for _, text := range counterPaths { // hosts come first: an instance may be called as one
		n.paths[paths.Fold(text)] = text
		n.Path(text)
	}
}

// Fix numbers what was collected, by lot. hosts and users are others that texts may name.
func (n *Names) Fix(hosts, users []string) {
	keys := slices.Sorted(maps.Keys(n.kinds))
	rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys {
		n.number(key)
	}
	for _, h := range hosts {
		n.Host(h)
	}
	for _, u := range users {
		n.User(u)
	}
	n.fixed = true
	n.fixPhrases()
	n.spell()
}

// Count is how many names of each kind were replaced, as "3 hosts", the kinds in the order
// of their names.
func (n *Names) Count() (out []string) {
	counts := map[kind]int{}
	for key := range n.used {
		counts[n.kinds[key]]++
	}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		word := string(k)
		switch {
		case counts[k] == 1:
		case strings.HasSuffix(word, "s"):
			word += "es"
		default:
			word += "s"
		}
		out = append(out, strconv.Itoa(counts[k])+" "+word)
	}
	return out
}

// Host is a host by any of its names: NAME, NAME.DOMAIN, NAME:PORT, an address, or one of
// these with its scheme and a user. The short name is the same word everywhere.
func (n *Names) Host(name string) string {
	scheme, rest, ours := paths.SchemeOf(name)
	if at := strings.Index(rest, "://"); !ours && at >= 0 {
		rest = rest[at+3:]
	}
	user := ""
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user, rest = n.User(rest[:at])+"@", rest[at+1:]
	}
	port := ""
	if strings.Count(rest, ":") == 1 {
		rest, port, _ = cutPort(rest)
	}
	return scheme.Prefix + user + n.bareHost(strings.Trim(rest, `\/`)) + port
}

func (n *Names) bareHost(name string) string {
	if name == "" || name == "*" || name == "." || paths.EqualFold(name, "local") || paths.EqualFold(name, "localhost") {
		return name
	}
	if a, ok := address(name); ok {
		return n.word(ofAddress, a.Unmap().String())
	}
	short, domain, qualified := strings.Cut(name, ".")
	if short == "" || !qualified || domain == "" {
		return n.word(ofHost, name)
	}
	return n.word(ofHost, short) + "." + n.word(ofDomain, domain)
}

// User is a user: NAME, DOMAIN\NAME or NAME@DOMAIN.
func (n *Names) User(name string) string {
	if domain, user, ok := strings.Cut(name, `\`); ok && domain != "" && user != "" {
		return n.word(ofDomain, domain) + `\` + n.User(user)
	}
	if user, domain, ok := strings.Cut(name, "@"); ok && domain != "" && user != "" {
		return n.User(user) + "@" + n.word(ofDomain, domain)
	}
	if name == "" || n.known.users[paths.Fold(name)] {
		return name
	}
	return n.word(ofUser, name)
}

// Path is a counter path; ok is false where it cannot be replaced: it is none, or a
// wildcard with a part of a name, which would not match what stands for the name.
func (n *Names) Path(text string) (path string, ok bool) {
	p, err := paths.Parse(text)
	if err != nil {
		return "", false
	}
	for _, part := range []string{p.Computer, p.Object, p.Parent, p.Instance, p.Counter} {
		if strings.Contains(part, "*") && strings.Trim(part, "*") != "" && !n.isHarmless(strings.Trim(part, "*")) {
			return "", false
		}
	}
	return n.path(&p), true
}

func (n *Names) path(p *paths.Path) string {
	var b strings.Builder
	if p.Computer != "" {
		b.WriteString(`\\` + n.Host(p.Computer))
	}
	b.WriteString(`\` + n.Set(p.Object))
	if p.HasInstance {
		b.WriteString("(" + n.instanceOf(p) + ")")
	}
	b.WriteString(`\` + n.Counter(p.Counter))
	return b.String()
}

// instanceOf is what stands in parentheses, with the index.
func (n *Names) instanceOf(p *paths.Path) string {
	index := ""
	if number, has := p.Index.Number(); has && number > 0 {
		index = "#" + strconv.Itoa(number)
	}
	name := strings.TrimSuffix(p.CanonicalInstance(), index)
	if p.Parent == "" || n.isHarmless(name) || strings.HasPrefix(name, "/") {
		return n.Instance(p.Object, name) + index
	}
	return n.Instance(p.Object, p.Parent) + "/" + n.Instance(p.Object, p.Instance) + index
}

// Set is the name of a counterset. That of a named instance of SQL Server has its name.
func (n *Names) Set(name string) string {
	if name == "" || name == "*" || n.known.sets[paths.Fold(name)] {
		return name
	}
	if instance, kind, ok := paths.OfServer(name); ok && instance != "" && n.known.sets[paths.Fold(paths.ServerObject("", kind))] {
		return paths.ServerObject(n.word(ofInstance, instance), kind)
	}
	return n.word(ofSet, name)
}

// IsKnown tells the names of countersets and counters that are found everywhere.
func IsKnown(name string) bool {
	k, key := load(), paths.Fold(name)
	return k.sets[key] || k.counters[key]
}

// Counter is the name of a counter.
func (n *Names) Counter(name string) string {
	if name == "" || name == "*" || n.known.counters[paths.Fold(name)] {
		return name
	}
	return n.word(ofCounter, name)
}

// Instance is the name of an instance, or of a parent of one, of a counterset.
func (n *Names) Instance(set, name string) string {
	if n.isHarmless(name) {
		return name
	}
	k := ofInstance
	switch set = paths.Fold(set); {
	case strings.Contains(set, "process") && !strings.Contains(set, "processor"), set == "thread", set == "job object details":
		k = ofProcess
	case strings.Contains(set, "disk"):
		k = ofDisk
	case strings.HasPrefix(set, "network"):
		k = ofAdapter
	}
	return n.word(k, name)
}

// isHarmless tells names of instances that are found everywhere, unless a host or a user
// is called so.
func (n *Names) isHarmless(name string) bool {
	key := paths.Fold(name)
	if k := n.kinds[key]; k == ofHost || k == ofUser || k == ofDomain || !n.isHarmlessNumber(name) {
		return false
	}
	return n.known.isHarmless(name, key)
}

// Value is a value of a counter that is a text.
func (n *Names) Value(text string) string {
	if text == "" || isDigits(text) && n.isHarmlessNumber(text) {
		return text
	}
	return n.word(ofText, text)
}

// Pattern is a list of names with * in them, of hosts or of instances, as the names that
// they mean among all; ok is false where they mean none.
func Pattern(patterns, all []string, replace func(string) string) (names []string, ok bool) {
	for _, name := range all {
		if paths.MatchesAny(patterns, name) {
			if word := replace(name); !slices.Contains(names, word) {
				names = append(names, word)
			}
		}
	}
	return names, len(names) > 0
}

// address reads an address of a host, with a port, a length of a network or in brackets.
func address(text string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return a, true
	}
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Addr(), true
	}
	p, err := netip.ParseAddrPort(text)
	if err != nil {
		// Windows writes addresses of IPv6 as names: 2001-db8--1.ipv6-literal.net.
		literal, isLiteral := strings.CutSuffix(strings.ToLower(text), ".ipv6-literal.net")
		literal, _, _ = strings.Cut(literal, "s") // its zone
		a, err := netip.ParseAddr(strings.ReplaceAll(literal, "-", ":"))
		return a, isLiteral && err == nil
	}
	return p.Addr(), true
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
