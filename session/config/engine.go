package config

import (
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session/files/past"
)

// EngineAccount is who perfdeck is to an engine: to one that it pushes to, and to one that it
// reads hosts out of.
type EngineAccount struct {
	Tenant   string `flag:"tenant" help:"tenant of Mimir: X-Scope-OrgID"`
	Token    PasswordRef
	User     string `flag:"to-user" help:"account of basic authentication"`
	Password PasswordRef
	CAFile   string `flag:"ca-file" help:"certificates that are trusted instead of the system's"` // absolute, or below ~/, as the next two
	CertFile string `flag:"cert-file" help:"client certificate"`
	KeyFile  string `flag:"key-file" help:"its key, mode 0600"`
}

// engineAccount reads it, and tells what does not go together.
func (t table) engineAccount() (a EngineAccount) {
	set(t, "tenant", name("a tenant"), &a.Tenant)
	a.Token = t.secretRef(tokenAt)
	a.Password = t.secretRef(passwordAt)
	set(t, "user", name("an account"), &a.User)
	file := wholePath()
	set(t, "ca_file", file, &a.CAFile)
	set(t, "cert_file", file, &a.CertFile)
	set(t, "key_file", file, &a.KeyFile)
	switch {
	case !a.Token.IsZero() && (!a.Password.IsZero() || a.User != ""):
		t.missing("user", "either a token, or a user and its password")
	case a.User == "" && !a.Password.IsZero():
		t.missing("user", "the account that the password is of")
	case a.User != "" && a.Password.IsZero():
		t.missing(passwordAt.file, "where the password of user is: password_file, password_command or keyring")
	case (a.CertFile == "") != (a.KeyFile == ""):
		t.missing("key_file", "cert_file and key_file together")
	}
	return a
}

const engineTable = "engine"

// Engine is an [[engine]] table: one that hosts are read out of.
type Engine struct {
	Name string
	URL  string // as EnginePrefix has it
	EngineAccount

	AtOnce    int // 0: not said, as the others
	Apart     time.Duration
	Timeout   time.Duration
	MaxSeries int
	MaxBytes  int64
}

// Engine finds one by its name, compared without case, or by its address.
func (c *Config) Engine(name string) (Engine, bool) {
	return find(c.Engines, func(e *Engine) bool {
		return paths.EqualFold(e.Name, name) || strings.TrimSuffix(e.URL, "/") == strings.TrimSuffix(name, "/")
	})
}

// The limits of [[engine]].
const (
	mostAtOnce    = 64
	mostApart     = time.Minute
	mostTimeout   = 10 * time.Minute
	mostMaxSeries = 10_000_000
	leastMaxBytes = 1 << 20
)

// decodeEngines reads the [[engine]] tables.
func decodeEngines(root table) []Engine {
	return listed(root, engineTable, "engine", func(e *Engine) string { return e.Name }, func(t table) Engine {
		e := Engine{Name: required(t, "name", name("an engine")), URL: required(t, "url", text(`an address, as "prom+https://metrics.example.com", without an account`, isEngine)), EngineAccount: t.engineAccount()}
		set(t, "at_once", whole(1, mostAtOnce), &e.AtOnce)
		set(t, "apart", duration(time.Millisecond, mostApart), &e.Apart)
		set(t, "timeout", duration(time.Second, mostTimeout), &e.Timeout)
		set(t, "max_series", whole(1, mostMaxSeries), &e.MaxSeries)
		set(t, "max_bytes", size(), &e.MaxBytes)
		if e.MaxBytes > 0 && e.MaxBytes < leastMaxBytes {
			t.wrong("max_bytes", "1MB at least")
		}
		return e
	})
}

// isEngine tells the address of an engine that is read.
func isEngine(s string) bool {
	rest, ok := strings.CutPrefix(s, past.EnginePrefix)
	u, is := webURL(rest)
	return ok && is && u.Fragment == "" && u.RawQuery == ""
}
