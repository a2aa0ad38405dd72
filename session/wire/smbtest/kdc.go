package smbtest

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Realm is that of every KDC, and Service the name under which a Server of
// KDC.Options is known to it. It knows User with Password.
const (
	Realm   = "PERF.TEST"
	Service = "cifs/srv1.perf.test"
)

// KDC is MIT's krb5kdc for tests, on loopback and in a folder of its own.
type KDC struct {
	Config string // krb5.conf that names it
	Dir    string
	Port   int

	t    testing.TB
	main *exec.Cmd
}

// StartKDC starts a KDC. It ends with the test.
func StartKDC(t testing.TB) *KDC {
	t.Helper()
	Need(t, "krb5-kdc", "krb5kdc", "kdb5_util")
	Need(t, "krb5-admin-server", "kadmin.local")
	k := &KDC{Dir: folder(t), Port: FreePort(t), t: t}
	k.Config = filepath.Join(k.Dir, "krb5.conf")
	k.write("krb5.conf", fmt.Sprintf("[libdefaults]\n default_realm = %s\n dns_lookup_kdc = false\n dns_canonicalize_hostname = false\n rdns = false\n"+
		"[realms]\n %s = {\n  kdc = 127.0.0.1:%d\n }\n[domain_realm]\n .perf.test = %s\n", Realm, Realm, k.Port, Realm))
	// Samba takes no tickets with a PAC that says nothing of a log-on, which MIT
	// would add.
	k.write("kdc.conf", fmt.Sprintf("[kdcdefaults]\n kdc_listen = 127.0.0.1:%d\n kdc_tcp_listen = 127.0.0.1:%d\n"+
		"[realms]\n %s = {\n  database_name = %s/principal\n  key_stash_file = %s/stash\n  acl_file = %s/acl\n  max_life = 10h\n  disable_pac = true\n"+
		"  supported_enctypes = aes256-cts:normal aes128-cts:normal\n }\n", k.Port, k.Port, Realm, k.Dir, k.Dir, k.Dir))
	run(t, k.command("kdb5_util", "create", "-s", "-P", "master", "-r", Realm), "")
	k.Admin("addprinc -pw " + Password + " +requires_preauth " + User)
	k.Admin("addprinc -randkey " + Service)
	k.Admin("ktadd -k " + k.Keytab() + " " + Service)
	k.run()
	return k
}

// Keytab is the file with the keys of Service.
func (k *KDC) Keytab() string { return filepath.Join(k.Dir, "service.keytab") }

func (k *KDC) write(name, text string) {
	k.t.Helper()
	if err := os.WriteFile(filepath.Join(k.Dir, name), []byte(text), 0o644); err != nil { //nolint:gosec // there is nothing secret in it
		k.t.Fatal(err)
	}
}

// Environment is what makes Kerberos programs use this realm.
func (k *KDC) Environment() []string {
	return append(os.Environ(), "KRB5_CONFIG="+k.Config, "KRB5_KDC_PROFILE="+filepath.Join(k.Dir, "kdc.conf"), "LC_ALL=C")
}

func (k *KDC) command(name string, arguments ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), name, arguments...) //nolint:gosec // programs of this file
	c.Env = k.Environment()
	return c
}

// Admin runs a query of kadmin.
func (k *KDC) Admin(query string) {
	k.t.Helper()
	run(k.t, k.command("kadmin.local", "-r", Realm, "-q", query), "")
}

func (k *KDC) run() {
	k.t.Helper()
	k.main = k.command("krb5kdc", "-n", "-r", Realm)
	if err := k.main.Start(); err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(k.stop)
	if !listens(net.JoinHostPort("127.0.0.1", strconv.Itoa(k.Port))) {
		k.t.Fatal("krb5kdc does not listen")
	}
}

func (k *KDC) stop() {
	thaw(k.main.Process.Pid)
	kill(k.main.Process.Pid)
	_ = k.main.Wait()
}

// Freeze stops the KDC without ending it.
func (k *KDC) Freeze() { freeze(k.main.Process.Pid) }

// Options are those of a Server that takes the realm's tickets.
func (k *KDC) Options() Options {
	return Options{
		Global:      []string{"realm = " + Realm, "kerberos method = dedicated keytab", "dedicated keytab file = FILE:" + k.Keytab()},
		Environment: []string{"KRB5_CONFIG=" + k.Config},
	}
}

// CCache makes a credential cache by kinit with further arguments, such as
// "-l", "2s", and returns its path.
func (k *KDC) CCache(arguments ...string) string {
	k.t.Helper()
	Need(k.t, "krb5-user", "kinit")
	path := filepath.Join(k.Dir, "ccache"+strings.ReplaceAll(strings.Join(arguments, ""), "/", "-"))
	k.Kinit("FILE:"+path, arguments...)
	return path
}

// Kinit makes a credential cache of any kind.
func (k *KDC) Kinit(cache string, arguments ...string) {
	k.t.Helper()
	run(k.t, k.command("kinit", append(append([]string{"-c", cache}, arguments...), User)...), Password+"\n")
}

// UserKeytab makes a keytab with the keys of User, without changing them, and
// returns its path.
func (k *KDC) UserKeytab() string {
	k.t.Helper()
	path := filepath.Join(k.Dir, "user.keytab")
	k.Admin("ktadd -norandkey -k " + path + " " + User)
	return path
}
