package rpc

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/oiweiwei/go-msrpc/ssp/credential"
	"github.com/oiweiwei/go-msrpc/ssp/gssapi"
	"github.com/oiweiwei/go-msrpc/ssp/ntlm"
	"github.com/oiweiwei/go-msrpc/ssp/spnego"

	"perfdeck/session/wire/perflib"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The values are those of MS-NLMP 4.2: user User, password Password, domain
// Domain, session key 0x55 sixteen times.
func TestSpecificationValues(t *testing.T) {
	if NTHash([]byte("a\x00b")) == NTHash([]byte("a")) {
		t.Error("a password ends at its first NUL")
	}
	hash := NTHash([]byte("Password"))
	if want := unhex(t, "a4f49c406510bdcab6824ee7c30fd852"); !bytes.Equal(hash[:], want) {
		t.Errorf("hash %x, want %x", hash, want)
	}
	if got, want := hmacMD5(hash[:], perflib.UTF16("USER"), perflib.UTF16("Domain")), unhex(t, "0c868a403bfd7a93a3001ef22ef02e3f"); !bytes.Equal(got, want) {
		t.Errorf("NTOWFv2 %x, want %x", got, want)
	}
	s, err := newNTLMSession(bytes.Repeat([]byte{0x55}, 16), true, false)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.derive("client-to-server", "sealing"), unhex(t, "59f600973cc4960a25480a7c196e4c58"); !bytes.Equal(got, want) {
		t.Errorf("sealing key %x, want %x", got, want)
	}
	msg := unhex(t, "54e50165bf1936dc996020c1811b0f06fb5f")
	if err := s.Unseal(nil, msg, nil, unhex(t, "01000000 7fb38ec5c55d4976 00000000")); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(msg, perflib.UTF16("Plaintext")) {
		t.Errorf("deciphered %q", msg)
	}
}

// logOnWith drives a log-on of the library's client with an acceptor of ours.
func logOnWith(t *testing.T, accept func([]byte) ([]byte, error), who credential.Credential, config *ntlm.Config, mechanism gssapi.OID, change func(n int, token []byte)) (context.Context, error) {
	t.Helper()
	ctx := gssapi.NewSecurityContext(context.Background(), gssapi.WithCredential(who),
		gssapi.WithMechanismFactory(spnego.Mechanism{}), gssapi.WithMechanismFactory(ntlm.Mechanism{}, config))
	var token []byte
	for n := range maxSteps {
		next, err := gssapi.InitSecurityContext(ctx, &gssapi.Token{Payload: token}, gssapi.WithMechanismType(mechanism),
			gssapi.WithRequest(gssapi.Confidentiality|gssapi.Integrity))
		if err != nil {
			t.Fatal(err)
		}
		if len(next.Payload) == 0 {
			return ctx, nil
		}
		if change != nil {
			change(n, next.Payload)
		}
		if token, err = accept(next.Payload); err != nil || len(token) == 0 {
			return ctx, err
		}
	}
	t.Fatal("the log-on does not end")
	return nil, nil
}

func TestWeakLogOnsAreRefused(t *testing.T) {
	right := credential.NewFromPassword(testUser, testPassword, credential.Domain("LAB"))
	for name, v := range map[string]struct {
		who    credential.Credential
		config *ntlm.Config
		change func(n int, token []byte)
		want   error
	}{
		"NTLMv2":      {who: right, config: ntlm.NewConfig()},
		"no code":     {who: right, config: &ntlm.Config{NTLMVersion: 2, Require128BitEncryption: true}},
		"NTLMv1":      {who: right, config: ntlm.NewConfigFromAuthLevel(ntlm.NTLMv1WithESS), want: errLogon},
		"LM":          {who: right, config: ntlm.NewConfigFromAuthLevel(ntlm.LMv1AndNTLMv1WithESS), want: errLogon},
		"old session": {who: right, config: ntlm.NewConfigFromAuthLevel(ntlm.LMv1AndNTLMv1), want: errLogon},
		"anonymous":   {who: credential.Anonymous(), config: ntlm.NewConfig(), want: errLogon},
		"guest":       {who: credential.NewFromPassword("guest", testPassword), config: ntlm.NewConfig(), want: errLogon},
		"stranger":    {who: credential.NewFromPassword("other", testPassword), config: ntlm.NewConfig(), want: errLogon},
		"password":    {who: credential.NewFromPassword(testUser, "wrong"), config: ntlm.NewConfig(), want: errLogon},
		"changed on its way": {who: right, config: ntlm.NewConfig(), want: errLogon, change: func(n int, token []byte) {
			if n == 1 {
				token[ntlmMICAt] ^= 1
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			accounts := func(name string) ([16]byte, bool) {
				return NTHash([]byte(testPassword)), !strings.EqualFold(name, "other")
			}
			a := &ntlmAcceptor{accounts: accounts, name: "HOST"}
			_, err := logOnWith(t, a.accept, v.who, v.config, ntlm.MechanismType, v.change)
			if !errors.Is(err, v.want) || a.done() != (v.want == nil) {
				t.Errorf("%v, want %v", err, v.want)
			}
			if v.want == nil && !strings.EqualFold(a.who, testUser) {
				t.Errorf("user %q", a.who)
			}
		})
	}
}

// A client that would rather log on by something else is led to NTLM, under
// signatures.
func TestNegotiationFromAnotherChoice(t *testing.T) {
	const kerberos = "\x06\x09\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"
	list := appendDER(nil, derSequence, []byte(kerberos+oidNTLM))
	body := appendDER(nil, derContext, list)
	body = appendDER(body, derContext+2, appendDER(nil, derOctets, []byte("a ticket")))
	token := appendDER([]byte(oidSPNEGO), derContext, appendDER(nil, derSequence, body))
	token = appendDER(nil, derApplication, token)

	hash := NTHash([]byte(testPassword))
	for _, signed := range []bool{true, false} {
		a := &spnegoAcceptor{acceptor: &ntlmAcceptor{accounts: testAccounts, name: "HOST"}}
		answer, err := a.accept(token)
		if err != nil {
			t.Fatal(err)
		}
		r, err := parseSPNEGOResponse(answer)
		if err != nil || r.state != spnegoWantsMIC || r.token != nil {
			t.Fatalf("%+v, %v", r, err)
		}
		i := bare(newNTLM(testUser, "", hash, testSPN))
		var received []byte
		for range 2 {
			next, done, err := i.step(received)
			if err != nil {
				t.Fatal(err)
			}
			r := &spnegoResponse{state: spnegoIncomplete, token: next}
			if done && signed {
				if r.mic, err = i.Sign(list); err != nil {
					t.Fatal(err)
				}
			}
			answer, err = a.accept(r.marshal(""))
			if done && !signed {
				if !errors.Is(err, errLogon) || a.done() {
					t.Fatalf("an unsigned choice is taken: %v", err)
				}
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if r, err = parseSPNEGOResponse(answer); err != nil {
				t.Fatal(err)
			}
			received = r.token
		}
		if signed && !a.done() {
			t.Fatal("not logged on")
		}
	}
}

// A challenge that leaves out what packet privacy needs is refused by the client.
func TestWeakChallengeIsRefused(t *testing.T) {
	for _, flag := range []uint32{ntlmExtended, ntlm128, ntlmSeal, ntlmSign, ntlmKeyExchange, ntlmUnicode} {
		i := bare(newNTLM(testUser, "", NTHash([]byte(testPassword)), testSPN))
		token, _, err := i.step(nil)
		if err != nil {
			t.Fatal(err)
		}
		a := &ntlmAcceptor{accounts: testAccounts, name: "HOST"}
		challenge, err := a.accept(token)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 4 {
			challenge[challengeFlagsAt+n] &^= byte(flag >> (8 * n))
		}
		if _, _, err := i.step(challenge); !errors.Is(err, errNoPrivacy) {
			t.Errorf("without 0x%x: %v", flag, err)
		}
	}
}

// The service that is logged on to is named under the proof of the password; a
// host may be reached by any name.
func TestTargetName(t *testing.T) {
	for spn, want := range map[string]string{"": "cifs/10.1.2.3", "cifs/alias.corp.example": "cifs/alias.corp.example", "HOST/srv1@CORP.EXAMPLE": "HOST/srv1"} {
		o := Options{Address: Address{Host: "10.1.2.3"}, Account: Account{User: testUser, Turn: anyTime{}}, Tickets: Tickets{SPN: spn}, logOns: logOns{hash: NTHash([]byte(testPassword)), extend: func(time.Duration) {}}}
		o.setDefaults()
		a := &spnegoAcceptor{acceptor: &ntlmAcceptor{accounts: testAccounts, name: "HOST"}}
		i := o.logOn(t.Context(), toCall)
		var token []byte
		for !a.done() {
			next, _, err := i.step(token)
			if err != nil {
				t.Fatal(err)
			}
			if r, err := parseSPNEGOResponse(next); err == nil && token != nil {
				m, err := parseAuthenticate(r.token)
				if err != nil {
					t.Fatal(err)
				}
				list := m.response[ntlmProofSize+ntlmBlobSize:]
				if got := perflib.Text(findAV(list, avTargetName)).String(); got != want {
					t.Errorf("SPN %q: the target's name is %q", spn, got)
				}
			}
			if token, err = a.accept(next); err != nil {
				t.Fatalf("SPN %q: %v", spn, err)
			}
		}
	}
}
