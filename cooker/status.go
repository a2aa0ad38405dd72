package cooker

// Status says what a Value is worth, or why there is none.
type Status uint8

// The first five carry a value that counts; see [Status.Good].
const (
	OK           Status = iota
	OKHex               // a whole number to be shown in hexadecimal
	OKWrap              // the counter passed 2^32 or 2^64 between the samples
	OKClampedLow        // an inverse timer a little below 0, shown as 0
	OKCapped100         // a percentage capped on demand

	FirstSample         // the type needs two samples
	NegativeValue       // the counter fell: restart or reused instance
	NegativeDenominator // the base fell
	NegativeTimebase    // the clock went back, or has no frequency
	ZeroBase            // the base is 0 or did not move: no operations
	ZeroTime            // the clock did not move; the older sample stays
	NotDisplayable      // bases and markers only feed other counters
	Unsupported         // no rule for this type code
	Pending             // nothing was read yet
	Gone                // the instance vanished
	Denied              // the host refused
	Unavailable         // the host lacks the counter
	NoBase              // a companion is absent, of the wrong type or failing
	Gap                 // the interval cannot be used
	NotFinite           // a calculation left the range of float64
	NoStart             // the start of an elapsed time was never set
	NotKept             // nothing is kept of that moment

	statusCount
)

type statusRow struct {
	name string // word of the vectors
	word string // what a screen shows, at most 7 cells
	code StatusCode
}

// StatusCode is the PDH status (pdhmsg.h) that says the same, if there is one.
type StatusCode struct {
	Code uint32
	Name string
}

var (
	validData   = StatusCode{0x00000000, "PDH_CSTATUS_VALID_DATA"}
	invalidData = StatusCode{0xC0000BC6, "PDH_INVALID_DATA"}
	noData      = StatusCode{0x800007D5, "PDH_NO_DATA"}
)

var statusTable = [statusCount]statusRow{
	OK:                  {"OK", "", validData},
	OKHex:               {"OK_HEX", "", validData},
	OKWrap:              {"OK_WRAP", "", validData},
	OKClampedLow:        {"OK_CLAMPED_LOW", "", validData},
	OKCapped100:         {"OK_CAPPED100", "", validData},
	FirstSample:         {"FIRST_SAMPLE", "…", invalidData},
	NegativeValue:       {"NEGATIVE_VALUE", "reset", StatusCode{0x800007D8, "PDH_CALC_NEGATIVE_VALUE"}},
	NegativeDenominator: {"NEGATIVE_DENOMINATOR", "reset", StatusCode{0x800007D6, "PDH_CALC_NEGATIVE_DENOMINATOR"}},
	NegativeTimebase:    {"NEGATIVE_TIMEBASE", "clock", StatusCode{0x800007D7, "PDH_CALC_NEGATIVE_TIMEBASE"}},
	ZeroBase:            {"ZERO_BASE", "idle", StatusCode{}},
	ZeroTime:            {"ZERO_TIME", "…", invalidData},
	NotDisplayable:      {"NOT_DISPLAYABLE", "hidden", StatusCode{0xC0000BBD, "PDH_INVALID_ARGUMENT"}},
	Unsupported:         {"UNSUPPORTED", "unknown", StatusCode{}},
	Pending:             {"PENDING", "pending", noData},
	Gone:                {"GONE", "gone", StatusCode{0x800007D1, "PDH_CSTATUS_NO_INSTANCE"}},
	Denied:              {"DENIED", "denied", StatusCode{0xC0000BDB, "PDH_ACCESS_DENIED"}},
	Unavailable:         {"UNAVAILABLE", "none", StatusCode{0xC0000BB9, "PDH_CSTATUS_NO_COUNTER"}},
	NoBase:              {"NO_BASE", "no base", invalidData},
	Gap:                 {"GAP", "gap", noData},
	NotFinite:           {"NOT_FINITE", "error", invalidData},
	NoStart:             {"NO_START", "unset", invalidData},
	NotKept:             {"NOT_KEPT", "unkept", noData},
}

// String is the status as vectors and recordings write it, such as "OK_WRAP".
func (s Status) String() string {
	if s >= statusCount {
		return "INVALID_STATUS"
	}
	return statusTable[s].name
}

// Word is what a screen shows in place of a value, at most 7 cells: "…",
// "gone", "denied", "none", "idle" ... It is empty for good statuses.
func (s Status) Word() string {
	if s >= statusCount {
		return "error"
	}
	return statusTable[s].word
}

// Code is the PDH status of the same meaning; ok is false if PDH has none.
func (s Status) Code() (code StatusCode, ok bool) {
	if s >= statusCount {
		return StatusCode{}, false
	}
	code = statusTable[s].code
	return code, code.Name != ""
}

// Good says that a value with this status counts: it may be shown, recorded,
// alerted on and aggregated.
func (s Status) Good() bool { return s <= OKCapped100 }

// Fell says that there is an instance, but that its count, its base or its clock fell.
func (s Status) Fell() bool {
	return s == NegativeValue || s == NegativeDenominator || s == NegativeTimebase
}

// ParseStatus is the inverse of String.
func ParseStatus(name string) (Status, bool) {
	for s := range statusCount {
		if statusTable[s].name == name {
			return s, true
		}
	}
	return Unsupported, false
}
