// Package cooker turns raw performance counter readings into shown values.
//
// It knows the counter types of winperf.h, MS-PCQ 2.2.4.2 and the counter
// manifest schema as one table (rules.go), cooks readings by it ([Cook]),
// aggregates values over instances, keeps statistics over a window, formats
// values for machines and for screens, and explains how a value came about.
// It does no I/O and keeps no state.
//
// A [Value] is a whole 64-bit number, a float64 or a text, and always a
// [Status]: absence is a state, never the number 0.
package cooker
