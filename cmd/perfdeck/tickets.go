package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"

	"perfdeck/session/rpc"
)

// kerberosFlags are the flags about tickets; the config says the same of a host.
type kerberosFlags struct {
	use, require         bool
	ccache, keytab, conf string
	spn                  string
}

// tickets says how a host is logged on to with Kerberos.
type tickets struct {
	kerberosFlags
	password bool // a password is needed for them
}

// ticketsFor are those of a host: what its own entry in the config says, else
// the command line. Of several sources of tickets the one that was named counts;
// else a password that is at hand; else the credential cache that kinit made;
// else a password that is asked for.
func (p *program) ticketsFor(t target) tickets {
	k := tickets{kerberosFlags: p.flags.kerberos}
	k.require = k.require || t.own.RequireKerberos
	k.use = k.use || t.own.Kerberos || k.require
	if t.own.CCache != "" || t.own.Keytab != "" {
		k.ccache, k.keytab = t.own.CCache, t.own.Keytab
	}
	k.spn = cmp.Or(t.own.SPN, k.spn)
	switch {
	case !k.use, k.ccache != "", k.keytab != "":
	case !t.own.Password.IsZero() || p.flags.passwordFile != "" || p.password != nil:
		k.password = true
	default:
		if k.ccache = p.usualCCache(); k.ccache == "" {
			k.password = true
		}
	}
	return k
}

// byPassword takes tickets by a password alone: that which the user typed.
func (k *tickets) byPassword() {
	k.ccache, k.keytab, k.password = "", "", true
}

// usualCCache is the credential cache that Kerberos programs use, empty where
// there is none.
func (p *program) usualCCache() string {
	if named := p.getenv("KRB5CCNAME"); named != "" {
		return named
	}
	if runtime.GOOS == "windows" {
		return ""
	}
	path := fmt.Sprintf("/tmp/krb5cc_%d", os.Getuid())
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// usualKRB5Conf is the configuration that Kerberos programs use, empty where
// there is none.
func (p *program) usualKRB5Conf() string {
	if named := p.getenv("KRB5_CONFIG"); named != "" {
		first, _, _ := strings.Cut(named, string(os.PathListSeparator))
		return first
	}
	const path = "/etc/krb5.conf"
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// kerberosOf gives the source of tickets of an account, which its hosts share.
func (p *program) kerberosOf(k tickets, who *credentials) (*rpc.Kerberos, error) {
	o := rpc.KerberosOptions{Config: cmp.Or(k.conf, p.usualKRB5Conf())}
	o.User, o.Realm = accountAndRealm(who)
	var err error
	switch {
	case k.ccache != "":
		o.CCache, err = belowHome(k.ccache)
	case k.keytab != "":
		o.Keytab, err = belowHome(k.keytab)
	default:
		o.Password = who.get
	}
	if err != nil {
		return nil, err
	}
	key := strings.Join([]string{o.User, o.Realm, o.CCache, o.Keytab, o.Config, fmt.Sprintf("%p", who.secret)}, "\x00")
	p.access.Lock()
	defer p.access.Unlock()
	if p.kerberos == nil {
		p.kerberos = map[string]*rpc.Kerberos{}
	}
	if p.kerberos[key] == nil {
		if p.kerberos[key], err = rpc.NewKerberos(o); err != nil {
			return nil, &hinted{fmt.Errorf("read the Kerberos configuration: %w", err), "see --krb5-conf"}
		}
	}
	return p.kerberos[key], nil
}

// accountAndRealm takes an account apart as Kerberos has it. A domain without a
// dot is a short name that no realm has: the default realm is meant.
func accountAndRealm(who *credentials) (user, realm string) {
	if user, realm, ok := strings.Cut(who.user, "@"); ok {
		return user, strings.ToUpper(realm)
	}
	if strings.Contains(who.domain, ".") {
		realm = strings.ToUpper(who.domain)
	}
	return who.user, realm
}
