export const id = 249;
export const ids = [249];
export const modules = {

/***/ 1249:
/***/ ((__unused_webpack_module, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   SUMMARY_BYTES: () => (/* reexport safe */ _summary_writer_js__WEBPACK_IMPORTED_MODULE_2__.R),
/* harmony export */   buildHtml: () => (/* binding */ buildHtml),
/* harmony export */   buildReport: () => (/* reexport safe */ _report_file_js__WEBPACK_IMPORTED_MODULE_3__.F),
/* harmony export */   buildSummary: () => (/* binding */ buildSummary)
/* harmony export */ });
/* harmony import */ var _html_writer_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(849);
/* harmony import */ var _plain_answer_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(3513);
/* harmony import */ var _summary_writer_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6925);
/* harmony import */ var _report_file_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(6757);



/** The same as documents.ts for a run whose answer is plain: without a Markdown parser, which is most of it. */
const buildHtml = (0,_html_writer_js__WEBPACK_IMPORTED_MODULE_0__/* .htmlWriter */ .t)(_plain_answer_js__WEBPACK_IMPORTED_MODULE_1__/* .plainAnswer */ .d);
const buildSummary = (0,_summary_writer_js__WEBPACK_IMPORTED_MODULE_2__/* .summaryWriter */ .u)(_plain_answer_js__WEBPACK_IMPORTED_MODULE_1__/* .plainAnswer */ .d);




/***/ })

};
