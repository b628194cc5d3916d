package host

import (
	"slices"
	"strings"
	"testing"
)

func TestListsOfCPUs(t *testing.T) {
	for list, want := range map[string]CPUs{
		"1":            {1},
		"0,2-3":        {0, 2, 3},
		"3,2,2-3,0":    {0, 2, 3},
		"8191":         {8191},
		" 0-1\n":       {0, 1},
		"0-0":          {0},
		"1,3,5-7,9-10": {1, 3, 5, 6, 7, 9, 10},
	} {
		got, err := ParseCPUs(list)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", list, got, err)
		}
		if again, err := ParseCPUs(got.String()); err != nil || !slices.Equal(again, want) {
			t.Errorf("%q printed as %q: %v, %v", list, got, again, err)
		}
	}
	for list, complaint := range map[string]string{
		"":                       "not a list",
		",":                      "not a list",
		"1,":                     "not a list",
		"-1":                     "not a list",
		"1-":                     "not a list",
		"a":                      "not a list",
		"1 2":                    "not a list",
		"3-1":                    "exchanged",
		"8192":                   "number 8192",
		"0-99999999999999999999": "not a list",
		"0-999999999":            "number 999999999",
	} {
		if got, err := ParseCPUs(list); err == nil || !strings.Contains(err.Error(), complaint) {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
}
