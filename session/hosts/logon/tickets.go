package logon

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"perfdeck/session/config"
	"perfdeck/session/system/failure"
	"perfdeck/session/wire/rpc"
)

// Tickets say how a host is logged on to with Kerberos: as the command line has
// it; the config says the same of a host.
type Tickets struct {
	Use     bool `flag:"kerberos" help:"log on with Kerberos: with kinit's tickets, or by password; NTLM where there is no ticket"`
	Require bool `flag:"require-kerberos" help:"log on with Kerberos or not at all"`

	// Files; empty: the usual ones.
	CCache string `flag:"ccache" help:"credential cache with the tickets (default $KRB5CCNAME)"`
	Keytab string `flag:"keytab" help:"file with the account's keys, in place of a password"`
	Conf   string `flag:"krb5-conf" help:"Kerberos configuration file (default $KRB5_CONFIG, /etc/krb5.conf)"`

	SPN string `flag:"spn" help:"name that a host's ticket is for (default cifs/NAME)"`

	// 0: those of rpc.KerberosOptions.
	MinIterations uint32        `flag:"krb-min-iterations" help:"fewest iterations for a password's key that a realm may ask for"`
	MaxSkew       time.Duration `flag:"krb-max-skew" help:"most that a realm's clock may differ before it has proven itself"`
}

// tickets are those of one host.
type tickets struct {
	Tickets

	byPassword bool // a password is needed for them
}

// ticketsFor are those of a host: what its own entry in the config says, else
// the command line. Of several sources of tickets the one that was named counts;
// else a password that is at hand; else the credential cache that kinit made;
// else a password that is asked for.
func (a *Accounts) ticketsFor(own config.Host) tickets {
	k := tickets{Tickets: a.o.Tickets}
	k.Require = k.Require || own.RequireKerberos
	k.Use = k.Use || own.Kerberos || k.Require
	if own.CCache != "" || own.Keytab != "" {
		k.CCache, k.Keytab = own.CCache, own.Keytab
	}
	k.SPN = cmp.Or(own.SPN, k.SPN)
	named := own.User != "" || a.o.User != "" // a password of nobody helps nobody
	switch {
	case !k.Use, k.CCache != "", k.Keytab != "":
	case named && (!own.Password.IsZero() || a.o.PasswordFile != "" || a.o.Password != nil):
		k.byPassword = true
	default:
		if k.CCache = a.usualCCache(); k.CCache == "" {
			k.byPassword = true
		}
	}
	return k
}

// asTyped takes tickets by a password alone: that which the user typed.
func (k *tickets) asTyped() {
	k.CCache, k.Keytab, k.byPassword = "", "", true
}

// usualCCache is the credential cache that Kerberos programs use, empty where
// there is none.
func (a *Accounts) usualCCache() string {
	if named := a.o.Getenv("KRB5CCNAME"); named != "" {
		return named
	}
	if runtime.GOOS == "windows" {
		return ""
	}
	path := ccacheFile()
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// ccacheFile is where MIT's library has tickets unless it is told otherwise.
func ccacheFile() string { return fmt.Sprintf("/tmp/krb5cc_%d", os.Getuid()) }

// usualKRB5Conf is the configuration that Kerberos programs use, empty where
// there is none.
func (a *Accounts) usualKRB5Conf() string {
	if named := a.o.Getenv("KRB5_CONFIG"); named != "" {
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
func (a *Accounts) kerberosOf(k tickets, who *Account) (*rpc.Kerberos, error) {
	o := rpc.KerberosOptions{Config: cmp.Or(k.Conf, a.usualKRB5Conf()), MinIterations: k.MinIterations, MaxSkew: k.MaxSkew}
	o.User, o.Realm = accountAndRealm(who)
	var err error
	shared := ""
	switch {
	case k.CCache != "":
		o.CCache, err = config.BelowHome(k.CCache)
		shared = fmt.Sprintf("%p", who.secret)
	case k.Keytab != "":
		o.Keytab, err = config.BelowHome(k.Keytab)
	default:
		o.Password = who.get
		shared = fmt.Sprintf("%p", who.secret)
	}
	if err != nil {
		return nil, err
	}
	key := strings.Join([]string{o.User, o.Realm, o.CCache, o.Keytab, o.Config, shared}, "\x00")
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.kerberos[key] == nil {
		if a.kerberos[key], err = rpc.NewKerberos(o); err != nil {
			return nil, failure.WithHint(fmt.Errorf("read the Kerberos configuration: %w", err), "see --krb5-conf")
		}
	}
	return a.kerberos[key], nil
}

// accountAndRealm takes an account apart as Kerberos has it. A domain without a
// dot is a short name that no realm has: the default realm is meant.
func accountAndRealm(who *Account) (user, realm string) {
	if user, realm, ok := strings.Cut(who.user, "@"); ok {
		return user, strings.ToUpper(realm)
	}
	if strings.Contains(who.domain, ".") {
		realm = strings.ToUpper(who.domain)
	}
	return who.user, realm
}
