package config

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"perfdeck/paths"
	"perfdeck/session/system/httpclient"
)

const alertmanagerTable = "alertmanager"

// Alertmanager is an [[alertmanager]] table: a cluster that alerts are sent to.
type Alertmanager struct {
	Name   string
	URLs   []string
	User   string        // empty: Secret is a token
	Secret PasswordRef   // Keyring is a service, the account is User or else Name
	CAFile string        // certificates that are trusted instead of the system's; empty: none
	Repeat time.Duration // 0: not said
	Labels map[string]string
	Link   string
}

// Alertmanager finds one by its name.
func (a *Alerts) Alertmanager(name string) (Alertmanager, bool) {
	return find(a.Alertmanagers, func(m *Alertmanager) bool { return paths.EqualFold(m.Name, name) })
}

// The defaults and limits of Alertmanagers.
const (
	leastRepeat = 5 * time.Second
	mostRepeat  = time.Hour
	mostURLs    = 16
	mostLabels  = 32
)

// ownLabels are those that alerts have themselves.
func ownLabels() []string {
	return []string{"alertname", "severity", "host", "counterset", "counter"}
}

func decodeAlertmanager(t table) Alertmanager {
	m := Alertmanager{Name: required(t, "name", name("an Alertmanager"))}
	addresses := clusterAddresses()
	if v, there := t.value("urls"); !there {
		t.missing("urls", addresses.expected)
	} else if urls, ok := addresses.read(v); ok {
		m.URLs = urls
	} else { // one may hold a password
		t.fault("urls", &FileError{Reason: "found something else", Expected: addresses.expected})
	}
	set(t, "user", account(), &m.User)
	token, password := t.secretRef(tokenAt), t.secretRef(passwordAt)
	switch m.Secret = token; {
	case m.User != "" && !token.IsZero():
		t.wrong("user", "either an account with its password, or a token")
	case m.User != "" && strings.Contains(m.User, ":"):
		t.wrong("user", "an account without a colon")
	case m.User != "" && password.IsZero():
		t.missing(passwordAt.file, "where the account's password is: password_file, password_command or keyring")
	case m.User != "":
		m.Secret = password
	case !password.IsZero():
		t.missing("user", "the account that the password is of")
	}
	if !m.Secret.IsZero() && slices.ContainsFunc(m.URLs, isOpen) {
		t.wrong("urls", "https:// addresses, since an account or a token is sent; http:// only of this computer")
	}
	set(t, "ca_file", wholePath(), &m.CAFile)
	set(t, "repeat", duration(leastRepeat, mostRepeat), &m.Repeat)
	set(t, "link", text(`an address, as "https://wiki.example.com/alerts"`, isWebURL), &m.Link)
	m.Labels = decodeLabels(t)
	return m
}

// clusterAddresses takes the addresses of the members of a cluster.
func clusterAddresses() reader[[]string] {
	addresses := texts(`addresses, as ["https://am1.example.com:9093"]`, func(s string) bool {
		u, ok := webURL(s)
		return ok && u.RawQuery == "" && u.Fragment == ""
	})
	read := addresses.read
	addresses.read = func(v any) ([]string, bool) {
		out, ok := read(v)
		return out, ok && len(out) > 0 && len(out) <= mostURLs
	}
	return addresses
}

// isOpen tells an address where others may listen in.
func isOpen(address string) bool {
	u, err := url.Parse(address)
	return err != nil || u.Scheme == "http" && !httpclient.IsOwnHost(u)
}

// decodeLabels reads the labels of every alert.
func decodeLabels(t table) map[string]string {
	isName := func(name string) bool { return isLabelName(name) && !slices.Contains(ownLabels(), name) }
	return t.texts("labels", mostLabels, isName, "the name of a label, as \"site\"; not "+strings.Join(ownLabels(), ", "),
		text("a text that can be seen", plainText))
}

// isLabelName tells names of labels that every version of Prometheus and Alertmanager takes.
func isLabelName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	return s != "" && len(s) <= maxNameLen && strings.Trim(s, letters+"0123456789") == "" && !strings.ContainsAny(s[:1], "0123456789") && !strings.HasPrefix(s, "__")
}
