package alert

// MustRule reads a rule with options for tests of the outside.
var MustRule = mustRule
