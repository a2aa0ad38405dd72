package paths

// The schemes that stand before the name of a host which is reached otherwise than by SMB.
const (
	TCPScheme = "tcp://" // DCE/RPC over TCP
	SSHScheme = "ssh://" // perfdeck by ssh
)

// schemes are all of them. A new one is a row.
var schemes = []Scheme{
	{SSHScheme, HostName},
	{TCPScheme, HostPort},
}

// Scheme is one with what stands behind it.
type Scheme struct {
	Prefix string
	Form   Form
}

// Form is how a host is written behind a scheme.
type Form string

// The forms.
const (
	HostName Form = "NAME" // for whom its hosts are opened by, which may know more forms of names
	HostPort Form = "NAME:PORT"
)

// String is how hosts of the scheme are written.
func (s Scheme) String() string { return s.Prefix + string(s.Form) }

// Schemes are all schemes.
func Schemes() []Scheme { return schemes }

// SchemeOf is the scheme that the name of a host begins with, in any case, and the rest; ok is
// false where there is none of ours.
func SchemeOf(name string) (s Scheme, rest string, ok bool) {
	for _, s := range schemes {
		if len(name) >= len(s.Prefix) && EqualFold(name[:len(s.Prefix)], s.Prefix) {
			return s, name[len(s.Prefix):], true
		}
	}
	return Scheme{}, name, false
}
