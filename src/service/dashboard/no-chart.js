/* Stands in for Chart.js where it was not there at build time: the pages show tables alone. */
