package cooker

import (
	"fmt"
	"math/bits"
)

// Attributes are the display attributes of a counter (Attrib of
// PERF_COUNTER_REG_INFO, MS-PCQ 2.2.4.2). 0 is "no attribute".
type Attributes uint64

// The attributes, with their names in the counter manifest schema.
const (
	Reference    Attributes = 0x01 // reference: for the server alone
	NoDisplay    Attributes = 0x02 // noDisplay
	NoGrouping   Attributes = 0x04 // noDigitGrouping
	DisplayReal  Attributes = 0x08 // displayAsReal
	DisplayHex   Attributes = 0x10 // displayAsHex
	knownAttribs            = Reference | NoDisplay | NoGrouping | DisplayReal | DisplayHex
)

var attributeNames = [...]string{"reference", "noDisplay", "noDigitGrouping", "displayAsReal", "displayAsHex"}

// attributeConflicts are the combinations that MS-PCQ 2.2.4.2 forbids.
var attributeConflicts = [...]struct{ winner, loser Attributes }{
	{NoDisplay, NoGrouping},
	{NoDisplay, DisplayReal},
	{NoDisplay, DisplayHex},
	{DisplayHex, NoGrouping},
	{DisplayHex, DisplayReal},
}

// LookupAttribute finds an attribute by its name in the manifest schema.
func LookupAttribute(name string) (Attributes, bool) {
	for i, known := range attributeNames {
		if name == known {
			return 1 << i, true
		}
	}
	return 0, false
}

// Hidden says that lists, tables and wildcards leave the counter out unless
// asked. It is collected all the same.
func (a Attributes) Hidden() bool { return a&NoDisplay != 0 }

// Effective are the attributes that formatting follows. The specification
// gives no precedence for what it forbids; here hexadecimal beats real and no
// grouping. No display beats all, but a user who asks for a hidden counter
// sees it formatted as if it were not.
func (a Attributes) Effective() Attributes {
	a &= knownAttribs
	if a&DisplayHex != 0 {
		a &^= NoGrouping | DisplayReal
	}
	return a
}

// Conflicts describes each forbidden combination, such as "displayAsHex
// beats noDigitGrouping". Report it once for a counter.
func (a Attributes) Conflicts() []string {
	var conflicts []string
	for _, pair := range attributeConflicts {
		if a&pair.winner != 0 && a&pair.loser != 0 {
			conflicts = append(conflicts, fmt.Sprintf("%s beats %s", pair.winner.Names()[0], pair.loser.Names()[0]))
		}
	}
	return conflicts
}

// Names are the known attributes in the words of the manifest schema.
func (a Attributes) Names() []string {
	var names []string
	for rest := uint64(a & knownAttribs); rest != 0; rest &= rest - 1 {
		names = append(names, attributeNames[bits.TrailingZeros64(rest)])
	}
	return names
}

// Unknown are the bits without a meaning in the specification.
func (a Attributes) Unknown() Attributes { return a &^ knownAttribs }
