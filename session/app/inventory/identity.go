package inventory

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"perfdeck/paths"
)

// identity is which host a target is, however it is called: this computer is the machine by its ID,
// and others, of which nothing of the kind is known, are what has their name at their address. It
// tells neither: machine-id(5) wants the ID kept from others, and addresses may have accounts.
func (t *Target) identity() string {
	key, of := paths.Fold(t.Name), t.Address
	if t.IsOwn() {
		key, of = cmp.Or(strings.TrimSpace(machineID()), key), Local
	}
	sum := hmac.New(sha256.New, []byte(key))
	_, _ = sum.Write([]byte("perfdeck host " + of)) // it never fails
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
